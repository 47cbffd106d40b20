Fresh = ...  # write class Fresh in place of this line; nothing is given
