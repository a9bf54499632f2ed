import { listOf, textOf } from '@portolan/entry-format';

/** One thing that is wrong with a document, as the server tells it. */
export interface ServerIssue {
  readonly path: string;
  readonly message: string;
  readonly severity: string;
}

/** Why the server did not do what it was asked for. */
export interface Refusal {
  readonly status: number;
  /** The server's code, such as `ERR_VERSION_EXISTS`; undefined when it gave none. */
  readonly code: string | undefined;
  /** Its sentence. */
  readonly error: string;
  readonly hint: string | undefined;
  readonly issues: readonly ServerIssue[];
  readonly requestId: string | undefined;
}

/** What the server answered: JSON, or nothing where there is nothing to say. */
export interface ServerReply {
  readonly status: number;
  readonly body: unknown;
  /** The header `ETag`; undefined without one. */
  readonly etag: string | undefined;
}

/** What the body of a refusal says; undefined when it is none of a registry server. */
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

/** The member `issues` of an answer; what is no issue in it is left out. */
export function parseIssues(body: unknown): readonly ServerIssue[] {
  return listOf(body, 'issues').flatMap((issue) => {
    const message = textOf(issue, 'message');
    if (message === undefined) return [];
    return [{ path: textOf(issue, 'path') ?? '', message, severity: textOf(issue, 'severity') ?? 'error' }];
  });
}
