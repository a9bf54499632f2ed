import { boolean, duration, image } from './flag-types.ts';

const START = { helpGroup: 'START' };

export const foregroundFlag = boolean({
  ...START,
  char: 'f',
  description: 'stay until the container exits, and end with its status',
  fallback: 'false',
});

export const detachEarlyFlag = boolean({
  ...START,
  description: 'return once the supervisor runs, without waiting for the server to answer',
  fallback: 'false',
});

export const startTimeoutFlag = duration({
  ...START,
  description: 'how long the server may take to answer once its container has started',
  fallback: '60s',
});

export const trustFlag = boolean({
  ...START,
  description:
    'accept what the registry entry or the file asks for, and print it; refused settings stay refused',
  fallback: 'false',
});

export const replaceFlag = boolean({
  ...START,
  description: 'stop and remove a workload of the same name first',
  fallback: 'false',
});

export const yesFlag = boolean({
  ...START,
  description:
    'with --replace: replace the workload also if it loses a protection, such as its login or a policy',
  fallback: 'false',
});

export const gatewayImageFlag = image({
  ...START,
  description: 'image with Node.js that the gateway of an isolated network is made of',
  fallback: 'gateway.image of the settings, else our own',
  helpValue: 'IMAGE',
});

/** Default of `--start-timeout`: the time in which a server must respond. */
export const START_TIMEOUT_MS = 60_000;
