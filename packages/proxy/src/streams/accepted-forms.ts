export interface AcceptedForms {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Cache by header value, because programs send the same `Accept` header with every request. */
const READ = new Map<string, AcceptedForms>();
const MAX_READ = 64;

/**
 * Parses the `Accept` header. Without one, only JSON counts as accepted, because the client may not support
 * event streams.
 */
export function readAccepted(header = ''): AcceptedForms {
  const before = READ.get(header);
  if (before !== undefined) return before;
  const forms = read(header);
  if (READ.size >= MAX_READ) READ.clear();
  READ.set(header, forms);
  return forms;
}

function read(header: string): AcceptedForms {
  if (header.trim() === '') return { json: true, stream: false };
  const ranges = header.split(',').map((range) => range.toLowerCase().split(';'));
  const accepted = ranges
    .filter(
      ([, ...parameters]) => !parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter)),
    )
    .map(([type = '']) => type.trim());
  const takes = (...types: readonly string[]): boolean => types.some((type) => accepted.includes(type));
  return {
    json: takes('application/json', 'application/*', '*/*'),
    stream: takes('text/event-stream', 'text/*', '*/*'),
  };
}
