"""A row that was not taken has gradient 0. A row that was taken twice was used twice: what happens to contributions?

`self.grad[rows] += out.grad` reads all rows before it writes any, so of two contributions to one row only the last
remains. `np.add.at` adds them one after the other, and so does a loop over the rows.
"""


class Rows(Tensor):
    def __getitem__(self, rows):  # self[rows]
        out = Tensor(self.data[rows], (self,), "[]")

        def _backward():
            np.add.at(self.grad, rows, out.grad)

        out._backward = _backward
        return out
