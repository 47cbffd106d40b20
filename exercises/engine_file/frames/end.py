def main():
    """Learn XOR."""
    rows, targets = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    random.seed(0)
    net = MLP(2, [4, 4, 1])
    losses = train(net, rows, targets, lr=0.1, epochs=500)
    print(f"XOR: loss {losses[0]:.4f} at first, {losses[-1]:.4f} after {len(losses)} epochs")
    for row, target in zip(rows, targets):
        print(row, target, round(net(row).data, 4))


if __name__ == "__main__":  # python my_engine.py
    main()
