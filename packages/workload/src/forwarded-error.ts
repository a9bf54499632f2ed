import { type ErrorClass, PortolanError, type PortolanErrorDetails } from '@portolan/plugin-api';

export interface ForwardedDetails extends PortolanErrorDetails {
  /** Exit status of a container, where the command is to end as that has. */
  readonly exitStatus?: number | undefined;
}

/** An error that was made elsewhere, in another process or below this one: with its code and class, in words for here. */
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
