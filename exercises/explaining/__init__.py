"""Why an answer or an engine is wrong: known mistakes, matching, debug, identify, why."""
