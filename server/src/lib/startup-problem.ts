// The error of a start that cannot go on: its message is one sentence that says what happened and
// what to do, and the command line prints that sentence alone, without a stack.

export class StartupProblem extends Error {
  override name = 'StartupProblem'
}
