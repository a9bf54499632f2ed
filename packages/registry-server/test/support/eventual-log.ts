import { eventually, type LogLine } from '@portolan/plugin-testing';

/** The fields of the log line of a request, as soon as it is there. */
export function accessLine(
  lines: readonly LogLine[],
  requestId: string,
): Promise<LogLine & { fields: { readonly [field: string]: unknown } }> {
  return eventually(() => {
    const line = lines.find(
      ({ message, fields }) =>
        message === 'request' && 'request_id' in fields && fields.request_id === requestId,
    );
    if (line === undefined) throw new Error(`the log has no line of request ${requestId}`);
    return { ...line, fields: { ...line.fields } };
  });
}
