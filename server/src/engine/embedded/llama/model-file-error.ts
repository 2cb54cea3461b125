// The one error that reading models and adapters throws; whoever catches it may show its sentence.

/** A model or adapter file that cannot be used. The sentence names the file and what is wrong with it. */
export class ModelFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ModelFileError'
  }
}
