// What a call is refused for whose wallet does not have enough free.
export class InsufficientFunds extends Error {
  constructor() {
    super('the wallet does not cover the most this call can cost')
    this.name = 'InsufficientFunds'
  }
}
