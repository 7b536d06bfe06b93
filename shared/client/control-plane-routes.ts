// Generated from the OpenAPI document by `npm run generate:client`; a test keeps it equal. Long, because it holds every route.

export type Routes = {
  'DELETE /api/orgs/{orgId}': {
    params: {
      orgId: string
    }
    body: {
      name: string
    }
    answer: {
      ok: true
    }
  }
  'DELETE /api/settings/account': {
    body: {
      confirmation: string
    }
    answer: {
      ok: true
    }
  }
  'DELETE /api/settings/agents/{grantId}': {
    params: {
      grantId: string
    }
    answer: {
      ok: true
    }
  }
  'GET /.well-known/oauth-authorization-server': {
    answer: {
      issuer: string
      authorization_endpoint: string
      token_endpoint: string
    }
  }
  'GET /.well-known/oauth-authorization-server/mcp': {
    answer: {
      issuer: string
      authorization_endpoint: string
      token_endpoint: string
    }
  }
  'GET /.well-known/oauth-protected-resource': {
    answer: {
      resource: string
      authorization_servers: string[]
    }
  }
  'GET /.well-known/oauth-protected-resource/mcp': {
    answer: {
      resource: string
      authorization_servers: string[]
    }
  }
  'GET /api/admin/agent-rules': {
    answer: {
      ok: true
      rules: {
        key: string
        verdict: 'allowed' | 'blocked'
        decidedAt: string
      }[]
    }
  }
  'GET /api/admin/audit': {
    query: {
      limit?: number
      cursor?: string
      event?: string
      actor?: string
      from?: string
      to?: string
      chain: (string | 'platform') | string
    }
    answer: {
      ok: true
      chain: string | 'platform'
      entries: {
        seq: number
        hash: string
        record: {
          at: string
          event: string
          actor: {
            kind: 'user' | 'token' | 'mcp_client' | 'system'
            id: string
          }
          orgId?: string
          operationId?: string
          action?:
            | 'provision'
            | 'image_roll'
            | 'comped_grant'
            | 'storage_check'
            | 'storage_grow'
            | 'key_rotation'
            | 'sleep'
            | 'reinstall'
            | 'backup'
            | 'backup_drill'
            | 'restore'
            | 'deletion'
          reason?: string
          outcome?: string
          owner?: string
          image?: string
          size?: string
          rolloutId?: string
          role?: 'admin' | 'member'
          limits?: string
          client?: string
          subject?: string
        }
      }[]
      names: {
        [k: string]: {
          name: string
          email?: string
          slug?: string
        }
      }
      nextCursor?: string
    }
  }
  'GET /api/admin/audit/verify': {
    query: {
      chain?: (string | 'platform') | string
    }
    answer: {
      ok: true
      valid: boolean
      chains: number
      entries: number
      checkpoints: number
      broken: {
        chain: string | 'platform'
        seq: number
        problem: 'hash_differs' | 'link_differs' | 'row_missing' | 'record_not_valid' | 'signature_differs' | 'tail_cut'
      }[]
    }
  }
  'GET /api/admin/managed-daemons': {
    query: {
      limit?: number
      cursor?: string
      q?: string
      orgId?: string
      desiredState?: 'running' | 'sleeping'
      observedState?:
        | 'pending'
        | 'provisioning'
        | 'starting'
        | 'running'
        | 'sleeping'
        | 'stopping'
        | 'degraded'
        | 'failed'
        | 'deleting'
      image?: string
      version?: string
      standing?: 'attention' | 'changing' | 'running' | 'asleep'
      entitlement?: 'comped' | 'paid' | 'none'
    }
    answer: {
      ok: true
      daemons: {
        orgId: string
        orgSlug: string
        orgName: string
        entitlement: {
          kind: 'comped' | 'paid'
          grantedAt: string
        } | null
        daemon: {
          name: string
          uid: string
          createdAt: string
          deleting: boolean
          paused: boolean
          desiredState: 'running' | 'sleeping'
          observedState:
            | 'pending'
            | 'provisioning'
            | 'starting'
            | 'running'
            | 'sleeping'
            | 'stopping'
            | 'degraded'
            | 'failed'
            | 'deleting'
          image: string
          servingImage?: string
          lastGoodImage?: string
          version?: string
          provider: {
            app?: string
            machine?: string
            volume?: string
          }
          storage: {
            size: string
            capacityBytes?: number
            usedBytes?: number
            refusedBytes?: number
          }
          relay: {
            keyGeneration: number
            acceptedGeneration: number
          }
          conditions: {
            type:
              | 'Ready'
              | 'Progressing'
              | 'Degraded'
              | 'Paused'
              | 'Sleeping'
              | 'ImageResolved'
              | 'StorageHealthy'
              | 'RelayConnected'
              | 'KeyRotated'
            status: 'True' | 'False' | 'Unknown'
            observedGeneration: number
            lastTransitionTime: string
            reason: string
            message: string
          }[]
          operation?: {
            id: string
            outcome: string
            reason?: string
          }
        } | null
        problem: string | null
        backup: {
          everySeconds: number
          from: 'organization' | 'platform'
          last: {
            backupId: string
            takenAt: string
            currentAt: string
            bytes: number
            files: number
          } | null
          verified: {
            backupId: string
            verifiedAt: string
          } | null
          problem: {
            of?: 'backup' | 'drill'
            code: string
            reason?: string
            at: string
          } | null
          awaitsRestore: boolean
        } | null
        lastEvent: {
          kind:
            | 'entitled'
            | 'provisioned'
            | 'image_roll_started'
            | 'image_rolled'
            | 'image_roll_failed'
            | 'key_rotation_started'
            | 'key_rotated'
            | 'wake_requested'
            | 'sleep_requested'
            | 'storage_checked'
            | 'storage_grow_started'
            | 'storage_grown'
            | 'state_observed'
            | 'resource_lost'
            | 'reinstall_started'
            | 'reinstalled'
            | 'backed_up'
            | 'backup_verified'
            | 'restore_started'
            | 'restored'
            | 'deletion_started'
            | 'deleted'
          at: string
          observedState?:
            | 'pending'
            | 'provisioning'
            | 'starting'
            | 'running'
            | 'sleeping'
            | 'stopping'
            | 'degraded'
            | 'failed'
            | 'deleting'
        } | null
        claim: {
          action:
            | 'provision'
            | 'image_roll'
            | 'comped_grant'
            | 'storage_check'
            | 'storage_grow'
            | 'key_rotation'
            | 'sleep'
            | 'reinstall'
            | 'backup'
            | 'backup_drill'
            | 'restore'
            | 'deletion'
          operationId: string
          expired: boolean
          executorAlive: boolean
        } | null
      }[]
      total: number
      nextCursor?: string
    }
  }
  'GET /api/admin/managed-daemons/{orgId}/backups': {
    params: {
      orgId: string
    }
    answer: {
      ok: true
      backups: {
        backupId: string
        takenAt: string
        files: number
        bytes: number
        sentBytes: number
        settled: boolean
      }[]
      state: {
        everySeconds: number
        from: 'organization' | 'platform'
        last: {
          backupId: string
          takenAt: string
          currentAt: string
          bytes: number
          files: number
        } | null
        verified: {
          backupId: string
          verifiedAt: string
        } | null
        problem: {
          of?: 'backup' | 'drill'
          code: string
          reason?: string
          at: string
        } | null
        awaitsRestore: boolean
      }
    }
  }
  'GET /api/admin/managed-daemons/{orgId}/events': {
    params: {
      orgId: string
    }
    query: {
      limit?: number
      cursor?: string
    }
    answer: {
      ok: true
      events: {
        id: string
        orgId: string
        kind:
          | 'entitled'
          | 'provisioned'
          | 'image_roll_started'
          | 'image_rolled'
          | 'image_roll_failed'
          | 'key_rotation_started'
          | 'key_rotated'
          | 'wake_requested'
          | 'sleep_requested'
          | 'storage_checked'
          | 'storage_grow_started'
          | 'storage_grown'
          | 'state_observed'
          | 'resource_lost'
          | 'reinstall_started'
          | 'reinstalled'
          | 'backed_up'
          | 'backup_verified'
          | 'restore_started'
          | 'restored'
          | 'deletion_started'
          | 'deleted'
        at: string
        operationId?: string
        observedState?:
          | 'pending'
          | 'provisioning'
          | 'starting'
          | 'running'
          | 'sleeping'
          | 'stopping'
          | 'degraded'
          | 'failed'
          | 'deleting'
        image?: string
        reason?: string
      }[]
      nextCursor?: string
    }
  }
  'GET /api/admin/mutation-claims': {
    answer: {
      ok: true
      claims: {
        orgId: string
        orgSlug?: string
        action:
          | 'provision'
          | 'image_roll'
          | 'comped_grant'
          | 'storage_check'
          | 'storage_grow'
          | 'key_rotation'
          | 'sleep'
          | 'reinstall'
          | 'backup'
          | 'backup_drill'
          | 'restore'
          | 'deletion'
        operationId: string
        owner: string
        executor: string
        claimedAt: string
        expiresAt: string
        expired: boolean
        executorAlive: boolean
      }[]
    }
  }
  'GET /api/admin/organizations': {
    query: {
      limit?: number
      cursor?: string
      q?: string
      mode?: 'self_hosted' | 'cloud_hosted'
    }
    answer: {
      ok: true
      organizations: {
        orgId: string
        orgSlug: string
        orgName: string
        mode: ('self_hosted' | 'cloud_hosted') | null
        members: number
        admins: number
        createdAt: string
        lastSeenAt: string | null
      }[]
      total: number
      nextCursor?: string
    }
  }
  'GET /api/admin/orgs/{orgId}/limits': {
    params: {
      orgId: string
    }
    answer: {
      ok: true
      orgId: string
      limits: {
        requests: number
        bytesPerSecond: number
        personPercent: number
        bodyBytes: number
        tunnels: number
        storageMaxSize: string | null
      }
      own: {
        requests?: number
        bytesPerSecond?: number
        personPercent?: number
        bodyBytes?: number
        tunnels?: number
        storageMaxSize?: string
      }
      platform: {
        requests: number
        bytesPerSecond: number
        personPercent: number
        bodyBytes: number
        tunnels: number
        storageMaxSize: string | null
      }
    }
  }
  'GET /api/admin/orgs/{orgId}/mutations': {
    params: {
      orgId: string
    }
    query: {
      limit?: number
      cursor?: string
    }
    answer: {
      ok: true
      mutations: {
        operationId: string
        orgId: string
        action:
          | 'provision'
          | 'image_roll'
          | 'comped_grant'
          | 'storage_check'
          | 'storage_grow'
          | 'key_rotation'
          | 'sleep'
          | 'reinstall'
          | 'backup'
          | 'backup_drill'
          | 'restore'
          | 'deletion'
        actor: {
          kind: 'user' | 'token' | 'mcp_client' | 'system'
          id: string
        }
        reason: string
        state: 'requested' | 'executing' | 'retryable' | 'succeeded' | 'failed'
        failure?: {
          code: string
          reason?: string
          message?: string
        }
        image?: string
        attempts: number
        requestedAt: string
        finishedAt?: string
      }[]
      nextCursor?: string
    }
  }
  'GET /api/admin/overview': {
    answer: {
      ok: true
      at: string
      total: number
      counts: {
        attention: number
        changing: number
        running: number
        asleep: number
        none: number
      }
      attention: {
        kind: 'failed' | 'update_failed' | 'storage_full' | 'not_connected' | 'degraded' | 'stuck' | 'claim_expired'
        reason: string
        since?: string
        orgId: string
        orgSlug: string
        orgName: string
      }[]
      storage: {
        deciles: number[]
        usedBytes: number
        capacityBytes: number
      }
      day: {
        from: string
        awake: number
        succeeded: number
        failed: number
      }[]
      operations: {
        operationId: string
        orgId: string
        action:
          | 'provision'
          | 'image_roll'
          | 'comped_grant'
          | 'storage_check'
          | 'storage_grow'
          | 'key_rotation'
          | 'sleep'
          | 'reinstall'
          | 'backup'
          | 'backup_drill'
          | 'restore'
          | 'deletion'
        actor: {
          kind: 'user' | 'token' | 'mcp_client' | 'system'
          id: string
        }
        reason: string
        state: 'requested' | 'executing' | 'retryable' | 'succeeded' | 'failed'
        failure?: {
          code: string
          reason?: string
          message?: string
        }
        image?: string
        attempts: number
        requestedAt: string
        finishedAt?: string
        orgName?: string
      }[]
    }
  }
  'GET /api/admin/people': {
    query: {
      limit?: number
      cursor?: string
      q?: string
    }
    answer: {
      ok: true
      people: {
        id: string
        name: string
        email: string
        emailVerified: boolean
        twoFactor: boolean
        createdAt: string
        lastSeenAt: string | null
        organizations: {
          orgId: string
          orgSlug: string
          orgName: string
          role: 'admin' | 'member'
        }[]
      }[]
      total: number
      nextCursor?: string
    }
  }
  'GET /api/admin/rollouts': {
    query: {
      limit?: number
      cursor?: string
    }
    answer: {
      ok: true
      rollouts: {
        id: string
        operationId: string
        image: string
        reason: string
        actor: {
          kind: 'user' | 'token' | 'mcp_client' | 'system'
          id: string
        }
        state: 'running' | 'paused' | 'stopped' | 'aborted' | 'succeeded'
        stateReason?: string
        settings: {
          canary: {
            count: number
            orgIds: string[]
          }
          shares: number[]
          soakSeconds: number
          concurrency: number
          failureBudget: number
          quietHours?: {
            from: string
            to: string
            timeZone: string
          }
        }
        currentWave: number
        soakUntil?: string
        waves: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
          index: number
          name: string
        }[]
        counts: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
        }
        createdAt: string
        finishedAt?: string
      }[]
      nextCursor?: string
    }
  }
  'GET /api/admin/rollouts/{rolloutId}': {
    params: {
      rolloutId: string
    }
    answer: {
      ok: true
      rollout: {
        id: string
        operationId: string
        image: string
        reason: string
        actor: {
          kind: 'user' | 'token' | 'mcp_client' | 'system'
          id: string
        }
        state: 'running' | 'paused' | 'stopped' | 'aborted' | 'succeeded'
        stateReason?: string
        settings: {
          canary: {
            count: number
            orgIds: string[]
          }
          shares: number[]
          soakSeconds: number
          concurrency: number
          failureBudget: number
          quietHours?: {
            from: string
            to: string
            timeZone: string
          }
        }
        currentWave: number
        soakUntil?: string
        waves: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
          index: number
          name: string
        }[]
        counts: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
        }
        problems: {
          orgId: string
          operationId: string
          state: string
          reason?: string
        }[]
        createdAt: string
        finishedAt?: string
      }
    }
  }
  'GET /api/admin/signing-keys': {
    answer: {
      ok: true
      keys: {
        kid: string
        use: 'entry' | 'request' | 'service'
        state: 'next' | 'signing' | 'verifies'
        createdAt: string
        signsUntil: string | null
      }[]
      rotateEveryDays: number
    }
  }
  'GET /api/admin/status': {
    answer: {
      ok: true
      systemAdmin: true
      operatorOrg: string
      workspaceDomains: string[]
    }
  }
  'GET /api/app-config': {
    answer: {
      ok: true
      environment: string
      providers: {
        id: string
        name: string
      }[]
      hosted: boolean
      provisioningCodeRequired: boolean
      agents: boolean
      outboxUrl?: string
    }
  }
  'GET /api/auth/get-session': {
    answer: {
      session: {
        id: string
        token: string
        userId: string
        expiresAt: string
        createdAt: string
        updatedAt: string
        ipAddress?: string | null
        userAgent?: string | null
      }
      user: {
        id: string
        email: string
        name: string
        emailVerified: boolean
        image?: string | null
        createdAt: string
        updatedAt: string
      }
    } | null
  }
  'GET /api/auth/list-sessions': {
    answer: {
      id: string
      token: string
      userId: string
      expiresAt: string
      createdAt: string
      updatedAt: string
      ipAddress?: string | null
      userAgent?: string | null
    }[]
  }
  'GET /api/auth/passkey/generate-authenticate-options': {
    answer: {
      challenge: string
    }
  }
  'GET /api/auth/passkey/generate-register-options': {
    answer: {
      challenge: string
      rp: {
        id: string
        name: string
      }
      user: {
        id: string
        name: string
        displayName: string
      }
      pubKeyCredParams: {
        type: 'public-key'
        alg: number
      }[]
    }
  }
  'GET /api/auth/passkey/list-user-passkeys': {
    answer: {
      id: string
      name?: string | null
      userId: string
      createdAt: string | null
      backedUp: boolean
    }[]
  }
  'GET /api/downloads': {
    answer: {
      ok: true
      daemon: {
        url: string
        file: string
        version: string
        sha256: string
        bytes: number
      } | null
      chart: {
        url: string
        file: string
        version: string
        sha256: string
        bytes: number
      } | null
      image: string | null
    }
  }
  'GET /api/health': {
    answer: {
      ok: true
      service: 'svc-control-plane'
      environment: string
    }
  }
  'GET /api/openapi.json': {
    answer: {
      openapi: string
      paths: {}
    }
  }
  'GET /api/orgs/{orgId}/api-key': {
    params: {
      orgId: string
    }
    answer: {
      ok: true
      key: {
        apiKey: string
        daemonId: string
        createdAt: string
        lastUsedAt: string | null
      } | null
      relayUrl: string
    }
  }
  'GET /api/orgs/{orgId}/audit': {
    params: {
      orgId: string
    }
    query: {
      limit?: number
      cursor?: string
      event?: string
      actor?: string
      from?: string
      to?: string
    }
    answer: {
      ok: true
      chain: string | 'platform'
      entries: {
        seq: number
        hash: string
        record: {
          at: string
          event: string
          actor: {
            kind: 'user' | 'token' | 'mcp_client' | 'system'
            id: string
          }
          orgId?: string
          operationId?: string
          action?:
            | 'provision'
            | 'image_roll'
            | 'comped_grant'
            | 'storage_check'
            | 'storage_grow'
            | 'key_rotation'
            | 'sleep'
            | 'reinstall'
            | 'backup'
            | 'backup_drill'
            | 'restore'
            | 'deletion'
          reason?: string
          outcome?: string
          owner?: string
          image?: string
          size?: string
          rolloutId?: string
          role?: 'admin' | 'member'
          limits?: string
          client?: string
          subject?: string
        }
      }[]
      names: {
        [k: string]: {
          name: string
          email?: string
          slug?: string
        }
      }
      nextCursor?: string
    }
  }
  'GET /api/orgs/{orgId}/audit/verify': {
    params: {
      orgId: string
    }
    answer: {
      ok: true
      valid: boolean
      chains: number
      entries: number
      checkpoints: number
      broken: {
        chain: string | 'platform'
        seq: number
        problem: 'hash_differs' | 'link_differs' | 'row_missing' | 'record_not_valid' | 'signature_differs' | 'tail_cut'
      }[]
    }
  }
  'GET /api/orgs/{orgId}/daemon/status': {
    params: {
      orgId: string
    }
    answer: {
      ok: true
      daemon: {
        connected: boolean
        tunnels: number
        version?: string
        connectedSince?: string
        lastSeenAt: string | null
        instanceConflict: boolean
      }
    }
  }
  'GET /api/orgs/{orgId}/integrations': {
    params: {
      orgId: string
    }
    answer: {
      ok: true
      endpoint: string
      integrations: {
        id: string
        name: string
        host: string | null
        key: string
        state: 'requested' | 'approved' | 'paused' | 'revoked' | 'expired' | 'blocked'
        access: 'read' | 'write'
        requestedBy: string | null
        requestedAt: string | null
        approvedBy: string | null
        approvedAt: string | null
        expiresAt: string | null
        lastUsedAt: string | null
        reads: number
        writes: number
        undone: number | null
        people: {
          name: string
          access: 'read' | 'write'
          vaults: string[] | null
          lastUsedAt: string | null
        }[]
      }[]
    }
  }
  'GET /api/orgs/{orgSlug}/hosted/status': {
    params: {
      orgSlug: string
    }
    answer: {
      ok: true
      status: {
        desiredState: 'running' | 'sleeping'
        observedState:
          | 'pending'
          | 'provisioning'
          | 'starting'
          | 'running'
          | 'sleeping'
          | 'stopping'
          | 'degraded'
          | 'failed'
          | 'deleting'
        image?: string
        version?: string
        conditions: {
          type:
            | 'Ready'
            | 'Progressing'
            | 'Degraded'
            | 'Paused'
            | 'Sleeping'
            | 'ImageResolved'
            | 'StorageHealthy'
            | 'RelayConnected'
            | 'KeyRotated'
          status: 'True' | 'False' | 'Unknown'
          observedGeneration: number
          lastTransitionTime: string
          reason: string
          message: string
        }[]
        relay: {
          connected: boolean
        }
        idleSleep: {
          seconds: number
          from: 'organization' | 'platform'
        }
        backup?: {
          everySeconds: number
          from: 'organization' | 'platform'
          last: {
            backupId: string
            takenAt: string
            currentAt: string
            bytes: number
            files: number
          } | null
          verified: {
            backupId: string
            verifiedAt: string
          } | null
          problem: {
            of?: 'backup' | 'drill'
            code: string
            reason?: string
            at: string
          } | null
          awaitsRestore: boolean
        }
        storage?: {
          capacityBytes: number
          usedBytes: number
        }
        operation?: {
          id: string
          outcome: string
          reason?: string
        }
      }
    }
  }
  'GET /api/settings': {
    answer: {
      ok: true
      profile: {
        id: string
        name: string
        email: string
        emailVerified: boolean
        image: string | null
      }
      organizations: {
        id: string
        slug: string
        name: string
        role: 'admin' | 'member'
        daemonMode?: 'self_hosted' | 'cloud_hosted'
        members: {
          id: string
          userId: string
          name: string
          email: string
          role: 'admin' | 'member'
        }[]
        invitations?: {
          id: string
          email: string
          role: 'admin' | 'member'
          expiresAt: string
        }[]
        autoAdmit?: {
          enabled: boolean
          domain?: string
        }
      }[]
      admissionOffers: {
        organization: {
          id: string
          slug: string
          name: string
        }
        domain: string
      }[]
      systemAdmin: boolean
      theme: 'system' | 'light' | 'dark'
      signIn: {
        password: boolean
        twoFactor: boolean
        recoveryCodesLeft: number | null
      }
    }
  }
  'GET /api/settings/agents': {
    answer: {
      ok: true
      endpoint: string
      apps: {
        id: string
        name: string
        host: string | null
        access: 'read' | 'write'
        vaults: {
          orgId: string
          vaultId: string | null
        }[]
        connectedAt: string
        lastUsedAt: string | null
        expiresAt: string
        paused: boolean
        reads: number
        writes: number
        undone: number | null
      }[]
    }
  }
  'GET /api/vaults': {
    answer: {
      ok: true
      organizations: {
        orgId: string
        orgSlug: string
        orgName: string
        daemonMode: 'self_hosted' | 'cloud_hosted'
        state: 'available' | 'offline' | 'sleeping' | 'starting' | 'failed'
        vaults: {
          id: string
          displayName: string
          slug: string
          notes?: number
          changedAt?: string
          changedBy?: {
            kind: 'person' | 'mcp_client' | 'local' | 'system' | 'outside'
            id: string
            name: string
            person?: {
              id: string
              name: string
            }
          }
          news?: {
            author: {
              kind: 'person' | 'mcp_client' | 'local' | 'system' | 'outside'
              id: string
              name: string
              person?: {
                id: string
                name: string
              }
            }
            notes: number
          }[]
        }[]
      }[]
    }
  }
  'GET /mcp/.well-known/oauth-authorization-server': {
    answer: {
      issuer: string
      authorization_endpoint: string
      token_endpoint: string
    }
  }
  'GET /mcp/.well-known/oauth-protected-resource': {
    answer: {
      resource: string
      authorization_servers: string[]
    }
  }
  'GET /oauth2/consent': {
    query: {
      client_id: string
      redirect_uri: string
    }
    answer: {
      ok: true
      client: {
        name: string
        kind: 'web' | 'loopback' | 'app'
        sendsTo: string
        documentHost: string | null
      }
      choices: {
        orgId: string
        orgName: string
        listed: boolean
        whole: boolean
        vaults: {
          id: string
          displayName: string
        }[]
      }[]
    }
  }
  'GET /ready': {
    answer: {
      ok: boolean
    }
  }
  'PATCH /api/orgs/{orgId}/auto-admit': {
    params: {
      orgId: string
    }
    body: {
      enabled: boolean
    }
    answer: {
      ok: true
      autoAdmit: {
        enabled: boolean
        domain?: string
      }
    }
  }
  'PATCH /api/orgs/{orgId}/hosted/backups': {
    params: {
      orgId: string
    }
    body: {
      seconds: (number | 0) | null
    }
    answer: {
      ok: true
      everySeconds: number
      from: 'organization' | 'platform'
    }
  }
  'PATCH /api/orgs/{orgId}/hosted/idle-sleep': {
    params: {
      orgId: string
    }
    body: {
      seconds: number | null
    }
    answer: {
      ok: true
      idleSleep: {
        seconds: number
        from: 'organization' | 'platform'
      }
    }
  }
  'PATCH /api/orgs/{orgId}/integrations/{integrationId}': {
    params: {
      orgId: string
      integrationId: string
    }
    body: {
      state: 'approved' | 'paused' | 'revoked'
    }
    answer: {
      ok: true
      integration: {
        id: string
        name: string
        host: string | null
        key: string
        state: 'requested' | 'approved' | 'paused' | 'revoked' | 'expired' | 'blocked'
        access: 'read' | 'write'
        requestedBy: string | null
        requestedAt: string | null
        approvedBy: string | null
        approvedAt: string | null
        expiresAt: string | null
        lastUsedAt: string | null
        reads: number
        writes: number
        undone: number | null
        people: {
          name: string
          access: 'read' | 'write'
          vaults: string[] | null
          lastUsedAt: string | null
        }[]
      }
    }
  }
  'PATCH /api/settings/agents/{grantId}': {
    params: {
      grantId: string
    }
    body: {
      paused: boolean
    }
    answer: {
      ok: true
    }
  }
  'PATCH /api/settings/preferences': {
    body: {
      theme: 'system' | 'light' | 'dark'
    }
    answer: {
      ok: true
      theme: 'system' | 'light' | 'dark'
    }
  }
  'PATCH /api/settings/profile': {
    body: {
      name?: string
      image?: string | null
    }
    answer: {
      ok: true
      profile: {
        id: string
        name: string
        email: string
        emailVerified: boolean
        image: string | null
      }
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/backups': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      backup: {
        backupId: string
        takenAt: string
        files: number
        bytes: number
        sentBytes: number
        settled: boolean
      }
      fresh: boolean
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/backups/drill': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      backupId: string
      verifiedAt: string
      restored: {
        files: number
        bytes: number
        vaults: number
      }
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/image': {
    params: {
      orgId: string
    }
    body: {
      image: string
      confirmation: string
      operationId?: string
      reason?: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      image: string
      observedState: 'running'
      version?: string
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/key/rotate': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      keyGeneration: number
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/reinstall': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      image: string
      observedState: 'running'
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/restore': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
      backupId: string
      fromOrgId?: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      backupId: string
      fromOrgId: string
      resourceUid: string
      restored: {
        files: number
        bytes: number
        vaults: number
      }
      safetyBackupId: string
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/sleep': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      observedState: 'sleeping'
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/storage/check': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      storage: {
        usedBytes: number
        freeBytes: number
        capacityBytes: number
      }
      checkedAt: string
      woke: boolean
    }
  }
  'POST /api/admin/managed-daemons/{orgId}/storage/grow': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
      size: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      size: string
      capacityBytes?: number
    }
  }
  'POST /api/admin/orgs/{orgId}/managed-daemon/comped': {
    params: {
      orgId: string
    }
    body: {
      operationId: string
      reason: string
      confirmation: string
    }
    answer: {
      ok: true
      operationId: string
      orgId: string
      entitlement: {
        kind: 'comped'
        grantedAt: string
      }
    }
  }
  'POST /api/admin/orgs/{orgId}/mutation-claim/recover': {
    params: {
      orgId: string
    }
    body: {
      action:
        | 'provision'
        | 'image_roll'
        | 'comped_grant'
        | 'storage_check'
        | 'storage_grow'
        | 'key_rotation'
        | 'sleep'
        | 'reinstall'
        | 'backup'
        | 'backup_drill'
        | 'restore'
        | 'deletion'
      expectedOwner: string
      confirmation: string
      executorStopped: true
    }
    answer: {
      ok: true
      orgId: string
      operationId: string
      action:
        | 'provision'
        | 'image_roll'
        | 'comped_grant'
        | 'storage_check'
        | 'storage_grow'
        | 'key_rotation'
        | 'sleep'
        | 'reinstall'
        | 'backup'
        | 'backup_drill'
        | 'restore'
        | 'deletion'
      state: 'retryable'
    }
  }
  'POST /api/admin/people/two-factor/reset': {
    body: {
      email: string
      reason: string
    }
    answer: {
      ok: true
      userId: string
    }
  }
  'POST /api/admin/rollouts': {
    body: {
      operationId: string
      reason: string
      image: string
      confirmation: string
      settings?: {
        canary?: {
          count?: number
          orgIds?: string[]
        }
        shares?: number[]
        soakSeconds?: number
        concurrency?: number
        failureBudget?: number
        quietHours?: {
          from: string
          to: string
          timeZone?: string
        }
      }
    }
    answer: {
      ok: true
      rollout: {
        id: string
        operationId: string
        image: string
        reason: string
        actor: {
          kind: 'user' | 'token' | 'mcp_client' | 'system'
          id: string
        }
        state: 'running' | 'paused' | 'stopped' | 'aborted' | 'succeeded'
        stateReason?: string
        settings: {
          canary: {
            count: number
            orgIds: string[]
          }
          shares: number[]
          soakSeconds: number
          concurrency: number
          failureBudget: number
          quietHours?: {
            from: string
            to: string
            timeZone: string
          }
        }
        currentWave: number
        soakUntil?: string
        waves: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
          index: number
          name: string
        }[]
        counts: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
        }
        problems: {
          orgId: string
          operationId: string
          state: string
          reason?: string
        }[]
        createdAt: string
        finishedAt?: string
      }
    }
  }
  'POST /api/admin/rollouts/plan': {
    body: {
      image: string
      settings?: {
        canary?: {
          count?: number
          orgIds?: string[]
        }
        shares?: number[]
        soakSeconds?: number
        concurrency?: number
        failureBudget?: number
        quietHours?: {
          from: string
          to: string
          timeZone?: string
        }
      }
    }
    answer: {
      ok: true
      image: string
      total: number
      alreadyThere: number
      waves: {
        index: number
        name: string
        members: number
        sleeping: number
      }[]
    }
  }
  'POST /api/admin/rollouts/{rolloutId}/abort': {
    params: {
      rolloutId: string
    }
    body: {
      reason: string
      failureBudget?: number
    }
    answer: {
      ok: true
      rollout: {
        id: string
        operationId: string
        image: string
        reason: string
        actor: {
          kind: 'user' | 'token' | 'mcp_client' | 'system'
          id: string
        }
        state: 'running' | 'paused' | 'stopped' | 'aborted' | 'succeeded'
        stateReason?: string
        settings: {
          canary: {
            count: number
            orgIds: string[]
          }
          shares: number[]
          soakSeconds: number
          concurrency: number
          failureBudget: number
          quietHours?: {
            from: string
            to: string
            timeZone: string
          }
        }
        currentWave: number
        soakUntil?: string
        waves: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
          index: number
          name: string
        }[]
        counts: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
        }
        problems: {
          orgId: string
          operationId: string
          state: string
          reason?: string
        }[]
        createdAt: string
        finishedAt?: string
      }
    }
  }
  'POST /api/admin/rollouts/{rolloutId}/pause': {
    params: {
      rolloutId: string
    }
    body: {
      reason: string
      failureBudget?: number
    }
    answer: {
      ok: true
      rollout: {
        id: string
        operationId: string
        image: string
        reason: string
        actor: {
          kind: 'user' | 'token' | 'mcp_client' | 'system'
          id: string
        }
        state: 'running' | 'paused' | 'stopped' | 'aborted' | 'succeeded'
        stateReason?: string
        settings: {
          canary: {
            count: number
            orgIds: string[]
          }
          shares: number[]
          soakSeconds: number
          concurrency: number
          failureBudget: number
          quietHours?: {
            from: string
            to: string
            timeZone: string
          }
        }
        currentWave: number
        soakUntil?: string
        waves: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
          index: number
          name: string
        }[]
        counts: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
        }
        problems: {
          orgId: string
          operationId: string
          state: string
          reason?: string
        }[]
        createdAt: string
        finishedAt?: string
      }
    }
  }
  'POST /api/admin/rollouts/{rolloutId}/resume': {
    params: {
      rolloutId: string
    }
    body: {
      reason: string
      failureBudget?: number
    }
    answer: {
      ok: true
      rollout: {
        id: string
        operationId: string
        image: string
        reason: string
        actor: {
          kind: 'user' | 'token' | 'mcp_client' | 'system'
          id: string
        }
        state: 'running' | 'paused' | 'stopped' | 'aborted' | 'succeeded'
        stateReason?: string
        settings: {
          canary: {
            count: number
            orgIds: string[]
          }
          shares: number[]
          soakSeconds: number
          concurrency: number
          failureBudget: number
          quietHours?: {
            from: string
            to: string
            timeZone: string
          }
        }
        currentWave: number
        soakUntil?: string
        waves: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
          index: number
          name: string
        }[]
        counts: {
          total: number
          pending: number
          rolling: number
          succeeded: number
          failed: number
          stalled: number
          deferred: number
          skipped: number
        }
        problems: {
          orgId: string
          operationId: string
          state: string
          reason?: string
        }[]
        createdAt: string
        finishedAt?: string
      }
    }
  }
  'POST /api/admin/signing-keys/rotate': {
    body: {
      reason: string
      immediate?: boolean
    }
    answer: {
      ok: true
    }
  }
  'POST /api/auth/change-password': {
    body: {
      currentPassword: string
      newPassword: string
    }
    answer: {
      token?: string | null
      user: {
        id: string
        email: string
        name: string
        emailVerified: boolean
        image?: string | null
        createdAt: string
        updatedAt: string
      }
    }
  }
  'POST /api/auth/email-change/undo': {
    body: {
      token: string
    }
    answer: {
      ok: true
      email: string
    }
  }
  'POST /api/auth/magic-link/verify': {
    body: {
      token: string
    }
    answer:
      | {
          token: string
          user: {
            id: string
            email: string
            name: string
            emailVerified: boolean
            image?: string | null
            createdAt: string
            updatedAt: string
          }
        }
      | {
          twoFactorRedirect: true
        }
  }
  'POST /api/auth/organization/accept-invitation': {
    body: {
      invitationId: string
      token?: string
    }
    answer: {
      invitation: {
        id: string
        organizationId: string
        email: string
        role: string
        status: string
        expiresAt: string
      }
      member: {
        id: string
        organizationId: string
        userId: string
        role: string
      }
    }
  }
  'POST /api/auth/organization/cancel-invitation': {
    body: {
      invitationId: string
    }
    answer: {
      id: string
      organizationId: string
      email: string
      role: string
      status: string
      expiresAt: string
    }
  }
  'POST /api/auth/organization/invite-member': {
    body: {
      organizationId: string
      email: string
      role: 'admin' | 'member'
      resend?: boolean
    }
    answer: {
      id: string
      organizationId: string
      email: string
      role: string
      status: string
      expiresAt: string
    }
  }
  'POST /api/auth/organization/leave': {
    body: {
      organizationId: string
    }
    answer: {
      id: string
      organizationId: string
      userId: string
      role: string
    }
  }
  'POST /api/auth/organization/reject-invitation': {
    body: {
      invitationId: string
      token?: string
    }
    answer: {
      invitation: {
        id: string
        organizationId: string
        email: string
        role: string
        status: string
        expiresAt: string
      }
    }
  }
  'POST /api/auth/organization/remove-member': {
    body: {
      organizationId: string
      memberIdOrEmail: string
    }
    answer: {
      member: {
        id: string
        organizationId: string
        userId: string
        role: string
      }
    }
  }
  'POST /api/auth/organization/update': {
    body: {
      organizationId: string
      data: {
        name: string
      }
    }
    answer: {
      id: string
      name: string
      slug: string
    }
  }
  'POST /api/auth/organization/update-member-role': {
    body: {
      organizationId: string
      memberId: string
      role: 'admin' | 'member'
    }
    answer: {
      id: string
      organizationId: string
      userId: string
      role: string
    }
  }
  'POST /api/auth/passkey/delete-passkey': {
    body: {
      id: string
    }
    answer: {}
  }
  'POST /api/auth/passkey/update-passkey': {
    body: {
      id: string
      name: string
    }
    answer: {
      passkey: {
        id: string
        name?: string | null
        userId: string
        createdAt: string | null
        backedUp: boolean
      }
    }
  }
  'POST /api/auth/passkey/verify-authentication': {
    body: {
      response: {
        id: string
        rawId: string
        type: 'public-key'
        response: {
          clientDataJSON: string
          authenticatorData: string
          signature: string
          userHandle?: string | null
        }
      }
    }
    answer: {
      session: {
        id: string
        token: string
        userId: string
        expiresAt: string
        createdAt: string
        updatedAt: string
        ipAddress?: string | null
        userAgent?: string | null
      }
    }
  }
  'POST /api/auth/passkey/verify-registration': {
    body: {
      response: {
        id: string
        rawId: string
        type: 'public-key'
        response: {
          clientDataJSON: string
          attestationObject: string
          transports?: string[]
        }
      }
      name: string
    }
    answer: {
      id: string
      name?: string | null
      userId: string
      createdAt: string | null
      backedUp: boolean
    }
  }
  'POST /api/auth/request-password-reset': {
    body: {
      email: string
      redirectTo?: string
    }
    answer: {
      status: boolean
    }
  }
  'POST /api/auth/reset-password': {
    body: {
      token: string
      newPassword: string
    }
    answer: {
      status: boolean
    }
  }
  'POST /api/auth/revoke-other-sessions': {
    body: {}
    answer: {
      status: boolean
    }
  }
  'POST /api/auth/revoke-session': {
    body: {
      token: string
    }
    answer: {
      status: boolean
    }
  }
  'POST /api/auth/revoke-sessions': {
    body: {}
    answer: {
      status: boolean
    }
  }
  'POST /api/auth/send-verification-email': {
    body: {
      email: string
      callbackURL?: string
    }
    answer: {
      status: boolean
    }
  }
  'POST /api/auth/sign-in/email': {
    body: {
      email: string
      password: string
      callbackURL?: string
      rememberMe?: boolean
    }
    answer:
      | {
          token: string
          user: {
            id: string
            email: string
            name: string
            emailVerified: boolean
            image?: string | null
            createdAt: string
            updatedAt: string
          }
        }
      | {
          twoFactorRedirect: true
        }
  }
  'POST /api/auth/sign-in/magic-link': {
    body: {
      email: string
      name?: string
      callbackURL?: string
    }
    answer: {
      status: boolean
    }
  }
  'POST /api/auth/sign-in/social': {
    body: {
      provider: string
      callbackURL?: string
      errorCallbackURL?: string
      newUserCallbackURL?: string
    }
    answer: {
      url: string
      redirect: boolean
    }
  }
  'POST /api/auth/sign-out': {
    body: {}
    answer: {
      success: boolean
    }
  }
  'POST /api/auth/sign-up/confirm': {
    body: {
      token: string
      account?: {
        name: string
        password: string
      }
    }
    answer: {
      ok: true
    }
  }
  'POST /api/auth/sign-up/email': {
    body: {
      name: string
      email: string
      password: string
      callbackURL?: string
    }
    answer: {
      ok: true
    }
  }
  'POST /api/auth/sign-up/preview': {
    body: {
      token: string
    }
    answer: {
      ok: true
      signUp: {
        email: string
        name: string
        sameBrowser: boolean
      }
    }
  }
  'POST /api/auth/sign-up/resend': {
    body: {
      email: string
    }
    answer: {
      ok: true
    }
  }
  'POST /api/auth/two-factor/confirm': {
    body: {
      code: string
    }
    answer: {
      token: string
      user: {
        id: string
        email: string
        name: string
        emailVerified: boolean
        image?: string | null
        createdAt: string
        updatedAt: string
      }
    }
  }
  'POST /api/auth/two-factor/disable': {
    body: {
      password?: string
    }
    answer: {
      status: boolean
    }
  }
  'POST /api/auth/two-factor/enable': {
    body: {
      password?: string
    }
    answer: {
      totpURI: string
      backupCodes: string[]
    }
  }
  'POST /api/auth/two-factor/generate-backup-codes': {
    body: {
      password?: string
    }
    answer: {
      status: boolean
      backupCodes: string[]
    }
  }
  'POST /api/auth/two-factor/verify-backup-code': {
    body: {
      code: string
    }
    answer: {
      token: string
      user: {
        id: string
        email: string
        name: string
        emailVerified: boolean
        image?: string | null
        createdAt: string
        updatedAt: string
      }
    }
  }
  'POST /api/auth/two-factor/verify-totp': {
    body: {
      code: string
    }
    answer: {
      token: string
      user: {
        id: string
        email: string
        name: string
        emailVerified: boolean
        image?: string | null
        createdAt: string
        updatedAt: string
      }
    }
  }
  'POST /api/auth/verify-email': {
    body: {
      token: string
    }
    answer: {
      status: boolean
    }
  }
  'POST /api/invitations/{invitationId}/account': {
    params: {
      invitationId: string
    }
    body: {
      token: string
      name: string
      password: string
    }
    answer: {
      ok: true
    }
  }
  'POST /api/invitations/{invitationId}/preview': {
    params: {
      invitationId: string
    }
    body: {
      token: string
    }
    answer: {
      ok: true
      invitation: {
        organization: {
          name: string
        }
        inviter: {
          name: string
        }
        email: string
        role: 'admin' | 'member'
        expiresAt: string
        proven: boolean
        hasAccount?: boolean
      }
    }
  }
  'POST /api/orgs/{orgId}/api-key': {
    params: {
      orgId: string
    }
    answer: {
      ok: true
      apiKey: string
      daemonId: string
      relayUrl: string
      oldKeyWorksUntil: string | null
    }
  }
  'POST /api/orgs/{orgId}/api-key/rotate': {
    params: {
      orgId: string
    }
    body: {
      immediate?: boolean
    }
    answer: {
      ok: true
      apiKey: string
      daemonId: string
      relayUrl: string
      oldKeyWorksUntil: string | null
    }
  }
  'POST /api/orgs/{orgId}/integrations/{integrationId}/approve': {
    params: {
      orgId: string
      integrationId: string
    }
    body: {
      access: 'read' | 'write'
      days?: number
      covers?: 'this_address' | 'whole_site'
    }
    answer: {
      ok: true
      integration: {
        id: string
        name: string
        host: string | null
        key: string
        state: 'requested' | 'approved' | 'paused' | 'revoked' | 'expired' | 'blocked'
        access: 'read' | 'write'
        requestedBy: string | null
        requestedAt: string | null
        approvedBy: string | null
        approvedAt: string | null
        expiresAt: string | null
        lastUsedAt: string | null
        reads: number
        writes: number
        undone: number | null
        people: {
          name: string
          access: 'read' | 'write'
          vaults: string[] | null
          lastUsedAt: string | null
        }[]
      }
    }
  }
  'POST /api/orgs/{orgId}/invitations/{invitationId}/link': {
    params: {
      orgId: string
      invitationId: string
    }
    answer: {
      ok: true
      link: string
      expiresAt: string
    }
  }
  'POST /api/orgs/{orgId}/vault-origin/reset': {
    params: {
      orgId: string
    }
    answer: {
      ok: true
    }
  }
  'POST /api/orgs/{orgId}/vaults/hosted': {
    params: {
      orgId: string
    }
    body: {
      displayName: string
      slug: string
    }
    answer: {
      ok: true
      vault: {
        id: string
        displayName: string
      }
    }
  }
  'POST /api/orgs/{orgId}/vaults/relay': {
    params: {
      orgId: string
    }
    body: {
      name: string
    }
    answer: {
      ok: true
      apiKey: string
      daemonId: string
    }
  }
  'POST /api/orgs/{orgSlug}/hosted/wake': {
    params: {
      orgSlug: string
    }
    answer: {
      ok: true
    }
  }
  'POST /api/orgs/{orgSlug}/vaults/{vaultSlug}/entry': {
    params: {
      orgSlug: string
      vaultSlug: string
    }
    answer: {
      ok: true
      entry: {
        url: string
        assertion: string
        expiresAt: string
      }
    }
  }
  'POST /api/provisioning/orgs/cloud-hosted': {
    body: {
      name: string
      slug?: string
    }
    answer: {
      ok: true
      organization: {
        id: string
        slug: string
        name: string
        daemonMode: 'self_hosted' | 'cloud_hosted'
      }
    }
  }
  'POST /api/provisioning/orgs/cloud-hosted/comped': {
    body: {
      name: string
      slug?: string
      provisioningCode?: string
    }
    answer: {
      ok: true
      organization: {
        id: string
        slug: string
        name: string
        daemonMode: 'self_hosted' | 'cloud_hosted'
      }
    }
  }
  'POST /api/provisioning/orgs/self-hosted': {
    body: {
      name: string
      slug?: string
    }
    answer: {
      ok: true
      organization: {
        id: string
        slug: string
        name: string
        daemonMode: 'self_hosted' | 'cloud_hosted'
      }
      apiKey: string
      daemonId: string
      relayUrl: string
    }
  }
  'POST /api/settings/admission-offers/{orgId}': {
    params: {
      orgId: string
    }
    body: {
      accept: boolean
    }
    answer: {
      ok: true
    }
  }
  'POST /api/settings/email': {
    body: {
      email: string
    }
    answer: {
      ok: true
    }
  }
  'POST /api/settings/email/confirm': {
    body: {
      token: string
    }
    answer: {
      ok: true
    }
  }
  'POST /api/setup/claim': {
    body: {
      token: string
    }
    answer: {
      ok: true
    }
  }
  'POST /mcp': {
    body: {
      jsonrpc: '2.0'
      method: string
      id?: number | string
    }
    answer: {
      jsonrpc: '2.0'
    }
  }
  'POST /oauth2/consent': {
    body:
      | {
          decision: 'refuse'
          query: string
        }
      | {
          decision: 'connect'
          query: string
          access: 'read' | 'write'
          vaults: {
            orgId: string
            vaultId: string | null
          }[]
        }
    answer: {
      ok: true
      url: string
    }
  }
  'POST /oauth2/register': {
    body: {
      client_name: string
      redirect_uris: string[]
    }
    answer: {
      client_id: string
      redirect_uris: string[]
    }
  }
  'POST /oauth2/revoke': {
    answer: unknown
  }
  'POST /oauth2/token': {
    answer: {
      access_token: string
      token_type: string
      expires_in: number
      scope?: string
    }
  }
  'PUT /api/admin/agent-rules': {
    body: {
      key: string
      verdict: 'allowed' | 'blocked' | 'none'
    }
    answer: {
      ok: true
      rules: {
        key: string
        verdict: 'allowed' | 'blocked'
        decidedAt: string
      }[]
    }
  }
  'PUT /api/admin/orgs/{orgId}/limits': {
    params: {
      orgId: string
    }
    body: {
      reason: string
      confirmation: string
      own: {
        requests?: number
        bytesPerSecond?: number
        personPercent?: number
        bodyBytes?: number
        tunnels?: number
        storageMaxSize?: string
      }
    }
    answer: {
      ok: true
      orgId: string
      limits: {
        requests: number
        bytesPerSecond: number
        personPercent: number
        bodyBytes: number
        tunnels: number
        storageMaxSize: string | null
      }
      own: {
        requests?: number
        bytesPerSecond?: number
        personPercent?: number
        bodyBytes?: number
        tunnels?: number
        storageMaxSize?: string
      }
      platform: {
        requests: number
        bytesPerSecond: number
        personPercent: number
        bodyBytes: number
        tunnels: number
        storageMaxSize: string | null
      }
    }
  }
}
