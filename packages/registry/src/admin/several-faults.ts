import { PortolanError } from '@portolan/plugin-api';

/** Place of the fault, such as `sources`. Empty when the error has no place or lists its own. */
export interface PlacedFault {
  readonly path: string;
  readonly error: PortolanError;
}

interface Issue {
  readonly path: string;
  readonly message: string;
  /** Hint for the case that there are other faults too. */
  readonly hint?: string;
}

/** The first fault determines code and status; `issues` lists the others. */
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

/**
 * Combines several faults into one error. Returns a single fault unchanged, and undefined when there is none.
 */
export function severalFaults(faults: readonly PlacedFault[]): PortolanError | undefined {
  const first = faults[0]?.error;
  return first === undefined || faults.length === 1 ? first : new SeveralFaults(first, faults);
}

function issuesOf({ path, error }: PlacedFault): readonly Issue[] {
  // SAFETY: issues of request bodies have this type.
  if ('issues' in error) return error.issues as readonly Issue[];
  return [{ path, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }];
}
