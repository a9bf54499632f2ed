/** A mistake in the arguments, with what to do instead. The program prints both and exits with status 2. */
export class UsageError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
