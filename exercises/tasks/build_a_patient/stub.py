my_fault = ...  # def update(layers, optimizer): …, and then my_fault = update
