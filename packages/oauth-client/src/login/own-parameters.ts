/** Parameters of the authorization request that only the flow itself may set. */
export const OWN_PARAMETERS: readonly string[] = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'request',
  'request_uri',
  'resource',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];
