import { PortolanError } from '@portolan/plugin-api';

/**
 * A fault of a request and its place, such as `name` or `sources`. The place is empty when the error lists
 * its own places or has none.
 */
export interface PlacedFault {
  readonly path: string;
  readonly error: PortolanError;
}

interface Issue {
  readonly path: string;
  readonly message: string;
  /** What to do about the fault when it is not the only one. */
  readonly hint?: string;
}

/**
 * Several faults as one error. The first determines the code and status; `issues` lists the others with their
 * places.
 */
class SeveralFaults extends PortolanError {
  readonly issues: readonly Issue[];

  constructor(first: PortolanError, faults: readonly PlacedFault[]) {
    const hint = [...new Set(faults.flatMap(({ error }) => error.hint ?? []))].join(' ');
    super(first.code, first.class, faults.map(({ error }) => error.message).join(' '), {
      ...(hint === '' ? {} : { hint }),
      cause: first,
    });
    this.issues = faults.flatMap(issuesOf);
  }
}

/** Returns all faults as one error, a single fault unchanged, or undefined without faults. */
export function severalFaults(faults: readonly PlacedFault[]): PortolanError | undefined {
  const first = faults[0]?.error;
  return first === undefined || faults.length === 1 ? first : new SeveralFaults(first, faults);
}

function issuesOf({ path, error }: PlacedFault): readonly Issue[] {
  // SAFETY: errors of request bodies have issues of this type, or none.
  if ('issues' in error) return error.issues as readonly Issue[];
  return [{ path, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }];
}
