"""The exercises, a folder each, and which notebook asks them in which order."""

EXERCISES = {
    "00": ("first_answer",),
    "01": ("slope", "choose_h", "forward_passes"),
    "02": ("make_value", "add", "multiply", "constants", "subtract", "divide"),
    "03": ("rules", "neuron_by_hand", "relu", "functions", "sigmoid"),
    "04": ("collect", "equals_is_right", "equals_is_wrong", "used_three_times"),
    "05": ("topological_order", "backward", "deep_order", "breadth_first_fails"),
    "06": ("check_gradients", "dual", "six_tests"),
    "07": ("accumulate", "second_pass", "place_zero_grad"),
    "08": ("neuron", "layer", "mlp", "count_parameters", "reach_all"),
    "09": ("train", "revive", "cross_entropy", "moons", "circle"),
    "10": ("hold_the_range", "sigmoid_survives", "clip"),
    "11": ("unbroadcast", "matmul_vjps", "sum_vjp", "rows_vjp", "assemble", "three_tests"),
    "12": ("softmax", "cross_entropy_gradient", "backward_by_hand", "fit", "momentum_step", "softmax_twice"),
    "13": ("first_loss", "by_heart", "small_step", "diagnoses", "repairs", "build_a_patient"),
    "14": ("guarded", "segmented", "version_rule"),
    "15": ("windows", "untouched", "pick", "softmax_vjp", "sees", "normalise_vjp"),
}
