import { PortolanError } from '@portolan/plugin-api';

/** Something that is wrong with a request, and where: `name`, `sources`; empty where it says its places itself, or has none. */
export interface PlacedFault {
  readonly path: string;
  readonly error: PortolanError;
}

interface Issue {
  readonly path: string;
  readonly message: string;
  /** What to do about it, where it is not the only one. */
  readonly hint?: string;
}

/** Several faults as one error: the first decides how it is answered, and what is wrong beside it is told with its place. */
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

/** All faults as one error; a single one as it is; undefined where nothing is wrong. */
export function severalFaults(faults: readonly PlacedFault[]): PortolanError | undefined {
  const first = faults[0]?.error;
  return first === undefined || faults.length === 1 ? first : new SeveralFaults(first, faults);
}

function issuesOf({ path, error }: PlacedFault): readonly Issue[] {
  // SAFETY: whoever checks a body gives its error such issues, or none.
  if ('issues' in error) return error.issues as readonly Issue[];
  return [{ path, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }];
}
