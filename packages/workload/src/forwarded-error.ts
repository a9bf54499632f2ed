import { PortolanError } from '@portolan/plugin-api';

/** An error that was made elsewhere, in another process or below this one: with its code, in words for here. */
export class ForwardedError extends PortolanError {}
