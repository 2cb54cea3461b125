// Machines that do what a test says: never ready, gone while they answer, none free, not certified, unknown after a restart. They say in
// words what is wrong, and never name a code.
import type { Serving, ServingStatus, Target } from '#server/deployment/serving.ts'

export class ScriptedMachines implements Serving {
  /** What the machine of a model says when it is to be prepared, and when it is asked. */
  prepares: ServingStatus = { state: 'ready' }
  says: ServingStatus = { state: 'ready' }
  readonly prepared: string[] = []
  readonly stopped: string[] = []

  async prepare({ model }: Target): Promise<ServingStatus> {
    this.prepared.push(model)
    return this.prepares
  }

  async status(): Promise<ServingStatus> {
    return this.says
  }

  async stop({ model }: Target): Promise<void> {
    this.stopped.push(model)
  }
}

export const noGpu: ServingStatus = {
  state: 'failed',
  failure: 'no-gpu',
  sentence: 'No GPU is free.',
}
export const notCertified: ServingStatus = {
  state: 'failed',
  failure: 'not-certified',
  sentence: 'The machine does not serve such weights.',
}
export const gone: ServingStatus = {
  state: 'failed',
  failure: 'broken',
  sentence: 'The machine does not answer.',
}
