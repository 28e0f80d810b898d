"""Networks, gradients, targets and RMSprop in plain NumPy and float64, layer by layer."""

from __future__ import annotations

import numpy as np


def forward(weights, inputs):
    """Outputs of each layer, the input first."""
    outputs = [inputs]
    for i in range(0, len(weights), 2):
        sums = outputs[-1] @ weights[i] + weights[i + 1]
        outputs.append(np.maximum(sums, 0.0) if i + 2 < len(weights) else sums)
    return outputs


def gradients(weights, inputs, actions, targets):
    """Gradient of the mean squared error of the values of the actions taken."""
    outputs = forward(weights, inputs)
    rows = np.arange(actions.size)
    slope = np.zeros_like(outputs[-1])
    slope[rows, actions] = 2.0 * (outputs[-1][rows, actions] - targets) / actions.size
    result = []
    for layer in range(len(weights) // 2 - 1, -1, -1):
        result = [outputs[layer].T @ slope, slope.sum(axis=0), *result]
        slope = (slope @ weights[2 * layer].T) * (outputs[layer] > 0.0)
    return result


def target(online, target_network, batch, double, gamma):
    """One target after the other."""
    result = []
    for following, reward, end in zip(batch.following, batch.rewards, batch.ends, strict=True):
        later = forward(target_network, following[None])[-1][0]
        best = int(np.argmax(forward(online, following[None])[-1][0] if double else later))
        result.append(reward + (0.0 if end else gamma * later[best]))
    return np.array(result)


def adam(weights, means, slopes, rate, step):
    """Weights and moments after step 1, 2, ... (Kingma and Ba 2015, algorithm 1)."""
    firsts, seconds = means
    firsts = [0.9 * m + 0.1 * g for m, g in zip(firsts, slopes, strict=True)]
    seconds = [0.999 * v + 0.001 * g * g for v, g in zip(seconds, slopes, strict=True)]
    moved = [
        w - rate * (m / (1.0 - 0.9**step)) / (np.sqrt(v / (1.0 - 0.999**step)) + 1e-8)
        for w, m, v in zip(weights, firsts, seconds, strict=True)
    ]
    return moved, (firsts, seconds)


def rmsprop(weights, means, slopes, rate, decay, stabilizer):
    """Weights and mean squares after one step, as Keras words it."""
    means = [decay * v + (1.0 - decay) * g * g for v, g in zip(means, slopes, strict=True)]
    moved = [
        w - rate * g / np.sqrt(v + stabilizer)
        for w, g, v in zip(weights, slopes, means, strict=True)
    ]
    return moved, means
