"""Still and live charts: curves, histograms, contours, decision maps; matplotlib's Figures in a notebook."""
