// Why a call is not admitted whose wallet has not enough free.

export class InsufficientFunds extends Error {
  constructor() {
    super('the wallet does not cover the most this call can cost')
    this.name = 'InsufficientFunds'
  }
}

/** The wallet would cover it, but for what a process has leased that does not answer. */
export class FundsOutOfReach extends Error {
  /** Until it runs out. */
  readonly seconds: number

  constructor(seconds: number) {
    super('a process that does not answer has leased what this call needs')
    this.name = 'FundsOutOfReach'
    this.seconds = seconds
  }
}
