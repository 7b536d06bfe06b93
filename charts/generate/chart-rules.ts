const without = (...path: string[]): object =>
  path.reduceRight<object>((inner, name) => ({ properties: { [name]: inner } }), { maxLength: 0 })

/** No Redis by address, by Secret or for a trial. */
const noRedis = {
  allOf: [
    without('redis', 'url'),
    without('redis', 'existingSecret'),
    { properties: { trial: { properties: { valkey: { properties: { enabled: { const: false } } } } } } },
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
  },
}

/** Rules between values, by chart, that a schema can hold. */
export const chartRules: Record<string, readonly object[]> = {
  'svc-platform': [{ if: noRedis, then: single }],
  svcd: [],
}
