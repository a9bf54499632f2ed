import { type ErrorClass, PortolanError, type PortolanErrorDetails } from '@portolan/plugin-api';

export interface ForwardedDetails extends PortolanErrorDetails {
  readonly exitStatus?: number | undefined;
}

/**
 * Error that keeps the code of an error from another process or a lower layer, with a new message for the
 * caller.
 */
export class ForwardedError extends PortolanError {
  readonly exitStatus: number | undefined;

  constructor(
    { code, class: errorClass }: { readonly code: string; readonly class: ErrorClass },
    message: string,
    details: ForwardedDetails = {},
  ) {
    super(code, errorClass, message, details);
    this.exitStatus = details.exitStatus;
  }
}
