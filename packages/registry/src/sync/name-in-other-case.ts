/**
 * Thrown where changes bring a name that is stored in another case. The other side
 * has renamed it, or has both by now: only a read of everything tells which.
 */
export class NameInOtherCase extends Error {
  constructor(name: string) {
    super(`${name} is stored in another case`);
  }
}
