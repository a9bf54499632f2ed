/**
 * Signals that the changes contain a name which is stored in other letter case. The source renamed the entry
 * or now has both names; only a full read can tell.
 */
export class NameInOtherCase extends Error {
  constructor(name: string) {
    super(`${name} is stored in another case`);
  }
}
