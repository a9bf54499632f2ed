import { isJsonObject } from '@portolan/plugin-api';
export { isJsonObject } from '@portolan/plugin-api';
/** The id of a request as it was written, so that it goes back with the same type and digits. */
export interface MessageId {
  /** JSON: `1`, `"1"`, `9007199254740993`. */
  readonly text: string;
  /** Equal for ids that are the same, however they are written, and only for those. */
  readonly key: string;
}

/** What JSON gives for an object. Names of members come from outside: read them with `memberOf` alone. */
export type JsonRecord = Readonly<Record<string, unknown>>;

interface Parsed {
  /** The whole message, as it came. */
  readonly text: string;
}

export interface RequestMessage extends Parsed {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonRecord | undefined;
}

export interface NotificationMessage extends Parsed {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonRecord | undefined;
}

export interface ResponseMessage extends Parsed {
  readonly kind: 'response';
  readonly id: MessageId;
  /** Undefined for an error. */
  readonly result: unknown;
  /** The error's code; undefined for a result, and for an error without a number. */
  readonly errorCode: number | undefined;
  readonly isError: boolean;
}

/** One JSON-RPC 2.0 message that was understood. */
export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** The member of that name if the object itself has it: `constructor` is a name like any other. */
export function memberOf(record: JsonRecord | undefined, name: string): unknown {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** `params._meta`; undefined when it is missing or no object. */
export function metaOf(params: JsonRecord | undefined): JsonRecord | undefined {
  const meta = memberOf(params, '_meta');
  return isJsonObject(meta) ? meta : undefined;
}
