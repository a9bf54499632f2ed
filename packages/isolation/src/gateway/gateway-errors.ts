import { isPortolanError, PortolanError } from '@portolan/plugin-api';

/** Creates the error for a gateway image that is missing and cannot be built. */
export function gatewayImageFailed(from: string, isOurs: boolean, cause: unknown): PortolanError {
  const what = isOurs ? 'the Node.js that runs this command' : from;
  return new PortolanError(
    'ERR_GATEWAY',
    'fault',
    `Cannot make the image of the gateway from ${what}: ${describe(cause)}`,
    {
      hint: isOurs
        ? 'See that the engine has disk space. Another image with Node.js can be named with --gateway-image; --isolate-network=false runs without a gateway.'
        : 'Name an image with Node.js that the engine can get with --gateway-image, or with gateway.image in the settings; --isolate-network=false runs without a gateway.',
      cause,
    },
  );
}

/** Creates the error for a gateway that cannot be adopted, or does not run. */
export function gatewayNotAdopted(workload: string, why: string): PortolanError {
  return new PortolanError(
    'ERR_GATEWAY_GONE',
    'unavailable',
    `The gateway of "${workload}" cannot be taken over: ${why}.`,
    { hint: 'Restart the workload: it gets a new gateway.' },
  );
}

function describe(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  const hint = isPortolanError(cause) ? cause.hint : undefined;
  return [text.replace(/([^.!?])$/, '$1.'), hint].filter((part) => part !== undefined).join(' ');
}
