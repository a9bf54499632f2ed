import { isJsonObject } from '@portolan/plugin-api';
export { isJsonObject } from '@portolan/plugin-api';
/** Request id in its original spelling, so that the response has the same type and digits. */
export interface MessageId {
  /** JSON text, such as `1`, `"1"` or `9007199254740993`. */
  readonly text: string;
  /** Normalized text of the id: two ids are equal exactly when their keys are equal. */
  readonly key: string;
}

/** Parsed JSON object. Read its members, which are user input, with `memberOf` only. */
export type JsonRecord = Readonly<Record<string, unknown>>;

interface Parsed {
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
  readonly result: unknown;
  /** Error code. Undefined for a result, and for an error without a numeric code. */
  readonly errorCode: number | undefined;
  readonly isError: boolean;
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** Returns a member of an object. Ignores inherited properties such as `constructor`. */
export function memberOf(record: JsonRecord | undefined, name: string): unknown {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

export function metaOf(params: JsonRecord | undefined): JsonRecord | undefined {
  const meta = memberOf(params, '_meta');
  return isJsonObject(meta) ? meta : undefined;
}
