"""The gym: an endless supply of small graphs; a wrong answer is named by the mistake behind it."""
