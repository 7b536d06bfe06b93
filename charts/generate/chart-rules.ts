const given = (part: string, name: string, holds: object): object => ({
  properties: { [part]: { properties: { [name]: holds } } },
})
const named = { minLength: 1 }

/** Redis by URL, by Secret, or the trial's own. */
const redis = {
  anyOf: [
    given('redis', 'url', named),
    given('redis', 'existingSecret', named),
    { properties: { trial: given('valkey', 'enabled', { const: true }) } },
  ],
}

const single = {
  properties: {
    web: {
      properties: {
        replicas: { description: 'More than one replica needs Redis.', maximum: 1 },
        autoscaling: { properties: { enabled: { description: 'Autoscaling needs Redis.', const: false } } },
      },
    },
    worker: { properties: { replicas: { description: 'Workers of their own need Redis.', maximum: 0 } } },
    agents: { properties: { replicas: { description: 'Processes for agents alone need Redis.', maximum: 0 } } },
  },
}

/** Rules between values, by chart, that a schema can express. */
export const chartRules: Record<string, readonly object[]> = {
  'svc-platform': [{ if: redis, else: single }],
  svcd: [],
}
