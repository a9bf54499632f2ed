/** In which forms a client takes an answer. */
export interface AcceptedForms {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Reads an `Accept` header. Without one, JSON is taken alone: such a client may not know event streams. */
export function readAccepted(header: string | undefined): AcceptedForms {
  if (header === undefined || header.trim() === '') return { json: true, stream: false };
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
