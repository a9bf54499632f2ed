import { listOf, textOf } from '@portolan/entry-format';

/** One problem of a document from the server. */
export interface ServerIssue {
  readonly path: string;
  readonly message: string;
  readonly severity: string;
}

/** Why the server refused a request. */
export interface Refusal {
  readonly status: number;
  /** The server's code, such as `ERR_VERSION_EXISTS`; undefined without one. */
  readonly code: string | undefined;
  /** The server's message. */
  readonly error: string;
  readonly hint: string | undefined;
  readonly issues: readonly ServerIssue[];
  readonly requestId: string | undefined;
}

/** Response of the server: JSON, or no content. */
export interface ServerReply {
  readonly status: number;
  readonly body: unknown;
  /** Header `ETag`; undefined without one. */
  readonly etag: string | undefined;
}

/** Parses the body of a refusal; undefined when it is not from a registry server. */
export function parseRefusal(status: number, body: unknown): Refusal | undefined {
  const error = textOf(body, 'error');
  if (error === undefined) return undefined;
  return {
    status,
    code: textOf(body, 'code'),
    error,
    hint: textOf(body, 'hint'),
    issues: parseIssues(body),
    requestId: textOf(body, 'requestId'),
  };
}

/** Parses the member `issues` of a response, without malformed items. */
export function parseIssues(body: unknown): readonly ServerIssue[] {
  return listOf(body, 'issues').flatMap((issue) => {
    const message = textOf(issue, 'message');
    if (message === undefined) return [];
    return [{ path: textOf(issue, 'path') ?? '', message, severity: textOf(issue, 'severity') ?? 'error' }];
  });
}
