/**
 * Signals that changes contain a name which is stored in another case. The source renamed the entry or has
 * both now; only a full read can tell.
 */
export class NameInOtherCase extends Error {
  constructor(name: string) {
    super(`${name} is stored in another case`);
  }
}
