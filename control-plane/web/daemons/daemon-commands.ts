export type DaemonCommand = { id: string; name: string; intro: string; blocks: { label: string; text: string }[] }

type Relay = { relayUrl: string; apiKey: string }

/** The ways to start a daemon with its key, ready to copy. */
export function daemonCommands({ relayUrl, apiKey }: Relay): DaemonCommand[] {
  const file = `SVC_RELAY_URL=${relayUrl}\nSVC_RELAY_TOKEN=${apiKey}\n`
  return [
    {
      id: 'terminal',
      name: 'Terminal',
      intro: 'The quickest way to try it, in a clone of the repository. The key stays in the history of your shell.',
      blocks: [{ label: 'Command', text: `SVC_RELAY_URL=${relayUrl} SVC_RELAY_TOKEN=${apiKey} npm run svcd` }],
    },
    {
      id: 'file',
      name: 'Environment file',
      intro:
        'For a machine that runs the daemon all the time, in a clone of the repository: the file works with systemd’s EnvironmentFile too.',
      blocks: [
        { label: 'File svcd.env (readable by you alone)', text: file },
        { label: 'Command', text: 'chmod 600 svcd.env\nset -a; . ./svcd.env; set +a\nnpm run svcd' },
      ],
    },
    {
      id: 'docker',
      name: 'Docker',
      intro:
        'Build the image svcd as daemon/Dockerfile says, and save the environment file as svcd.env. The vaults are kept in the volume svc-home.',
      blocks: [
        { label: 'File svcd.env (readable by you alone)', text: file },
        {
          label: 'Command',
          text: 'docker run -d --pull never --name svcd --restart unless-stopped \\\n  --env-file svcd.env -v svc-home:/data svcd',
        },
      ],
    },
  ]
}
