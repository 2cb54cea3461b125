// Threads that work through much and keep little. Left to itself, each takes up to a hundred MB for what is garbage a moment later, and
// gives it back late; with this it costs no more time and a third of that.

export const youngGenerationMb = 24
