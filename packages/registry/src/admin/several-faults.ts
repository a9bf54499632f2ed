import { PortolanError } from '@portolan/plugin-api';

/** The place, such as `sources`, is empty when the error lists its own places or has none. */
export interface PlacedFault {
  readonly path: string;
  readonly error: PortolanError;
}

interface Issue {
  readonly path: string;
  readonly message: string;
  /** Used when it is not the only fault. */
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

/** Returns a single fault unchanged. */
export function severalFaults(faults: readonly PlacedFault[]): PortolanError | undefined {
  const first = faults[0]?.error;
  return first === undefined || faults.length === 1 ? first : new SeveralFaults(first, faults);
}

function issuesOf({ path, error }: PlacedFault): readonly Issue[] {
  // SAFETY: issues of request bodies have this type.
  if ('issues' in error) return error.issues as readonly Issue[];
  return [{ path, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }];
}
