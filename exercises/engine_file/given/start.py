import math  #: For exp, log and tanh.
import random  #: For the first weights of a network, in lesson 06.
