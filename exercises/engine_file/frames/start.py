import math
import random
