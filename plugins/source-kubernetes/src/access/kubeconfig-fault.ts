/** Fault of a kubeconfig. Its message contains no secrets. */
export class KubeconfigFault extends Error {
  /** Key of the block that the fault concerns. */
  readonly place: 'kubeconfig' | 'context';
  readonly found: string;
  readonly expected: string;

  constructor(place: 'kubeconfig' | 'context', actual: string, expected: string, cause?: unknown) {
    super(`found ${actual}; expected ${expected}`, { cause });
    this.place = place;
    this.found = actual;
    this.expected = expected;
  }
}
