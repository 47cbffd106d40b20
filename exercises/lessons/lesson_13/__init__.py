"""The exercises of lesson 13, in their order."""

EXERCISES = ("first_loss", "by_heart", "small_step", "diagnoses", "repairs", "build_a_patient")
