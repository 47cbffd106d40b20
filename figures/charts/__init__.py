"""Still and live charts: curves, histograms, contours, decision maps; what matplotlib drew, in a notebook."""
