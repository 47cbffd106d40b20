"""One wrong answer to each exercise, as text to be put in place of a part of its solution: no check may take it."""

from exercises import library

CHANGES = {  # exercise: (a part of the solution, what stands there in the wrong answer)
    "first_answer": ("= 1", "= 6"),
    "slope": ("(f(x + h) - f(x)) / h", "f(x + h) - f(x) / h"),
    "choose_h": ("chosen_h = ", "chosen_h = 100 * "),
    "forward_passes": ("n + 1", "n"),
    "make_value": (":.4f", ":.3f"),
    "add": ('"+"', '"*"'),
    "multiply": ("self.data * other.data", "self.data + other.data"),
    "constants": ("as_value(other) * self", "as_value(other) + self"),
    "subtract": ("as_value(other) - self", "self - as_value(other)"),
    "divide": ("as_value(other) / self", "self / as_value(other)"),
    "add_rule": ("self.grad += 1.0 * out.grad", "self.grad += 1.0"),
    "multiply_rule": ("self.grad += other.data * out.grad", "self.grad += self.data * out.grad"),
    "local_derivatives": ("1 - y * y", "1 - x * x"),
    "neuron_by_hand": ("-14.8", "-7.4"),
    "collect": ("self.grad += out.grad", "self.grad = out.grad"),
    "equals_is_right": ("a * b + c", "a * b + c + a"),
    "equals_is_wrong": ("a + b * b", "a + b"),
    "used_three_times": ("total += product", "total *= product"),
    "topological_order": ("return order", "return order[::-1]"),
    "backward": ("reversed(topological_order(self))", "topological_order(self)"),
    "deep_order": ("order.append(node)", "order.insert(0, node)"),
    "breadth_first_fails": ("b * (b * b)", "b * b"),
    "check_gradients": ("(2 * epsilon)", "epsilon"),
    "dual": ("self.derivative * other.value + ", ""),
    "six_tests": ("(result_used_twice, [0.5, 0.8])", "(lambda a: a * 2, [3.0])"),
    "accumulate": ("self.grad += 1.0", "self.grad = 0.0"),
    "place_zero_grad": ("        model.zero_grad()\n        model.loss(rows)", "        model.loss(rows)"),
    "second_pass": ("k + 2", "2 * k"),
    "neuron": ("total.tanh()", "total"),
    "layer": ("range(n_outputs)", "range(n_inputs)"),
    "mlp": ("inputs[0] if len(inputs) == 1 else inputs", "inputs"),
    "count_parameters": ("(n + 1) * m", "n * m"),
    "reach_all": ("        p.grad = 0.0\n", "        pass\n"),
    "train": ("            p.grad = 0.0\n", "            pass\n"),
    "revive": ('"linear"', '"relu"'),
    "cross_entropy": ("loss / len(targets)", "loss"),
    "moons": ("for _ in range(300)", "for _ in range(1)"),
    "circle": ("p.data -= lr", "p.data += lr"),
    "hold_the_range": ("1.2 / math.sqrt(fan_in)", "1.2 / fan_in"),
    "relu_vanishes": ("depth - 1", "2"),
    "sigmoid_survives": ('"gain": 2.0', '"gain": 1.0'),
    "residual_scale": ("math.sqrt(2 * layers)", "layers"),
}


def wrong_answer(name):
    """The solution of an exercise with one mistake."""
    code = library.solution(name).code
    old, new = CHANGES[name]
    assert old in code, name
    return code.replace(old, new, 1)
