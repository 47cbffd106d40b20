"""The lessons' exercises: a folder each lesson, in it a folder each exercise, its checks and its quiz."""
