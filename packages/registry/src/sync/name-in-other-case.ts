/** The source renamed an entry to another case, or has both now; only a full read can tell. */
export class NameInOtherCase extends Error {
  constructor(name: string) {
    super(`${name} is stored in another case`);
  }
}
