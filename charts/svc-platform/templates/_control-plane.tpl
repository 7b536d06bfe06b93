{{- define "svc.dialInUrl" -}}
http://{{ include "svc.fullname" . }}.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}:7391
{{- end -}}

{{- /* Plain variables of the control plane, as a map, so that no name is there twice. Takes root and role. */ -}}
{{- define "svc.controlPlaneVariables" -}}
{{- $values := .root.Values -}}
{{- $plain := dict
  "BASE_URL" $values.baseUrl
  "VAULT_ORIGIN_TEMPLATE" $values.vaultOriginTemplate
  "RELAY_URL" $values.relayUrl
  "ENVIRONMENT" $values.controlPlane.environment
  "SVC_ROLE" .role
  "HOST" $values.listenAddress
  "PORT" "7380"
  "GATEWAY_PORT" "7390"
  "DIAL_IN_PORT" "7391"
  "INTERNAL_HOST" $values.listenAddress
  "INTERNAL_PORT" "7392"
  "INTERNAL_URL" "http://$(POD_IP):7392"
  "ORG_REQUESTS" ($values.organizations.limits.requests | int64 | toString)
  "ORG_BYTES_PER_SECOND" ($values.organizations.limits.bytesPerSecond | int64 | toString)
  "ORG_PERSON_PERCENT" ($values.organizations.limits.personPercent | int64 | toString)
  "ORG_BODY_BYTES" ($values.organizations.limits.bodyBytes | int64 | toString)
  "ORG_TUNNELS" ($values.organizations.limits.tunnels | int64 | toString)
  "ACCEPTS_PER_SECOND" (toString $values.controlPlane.acceptsPerSecond)
  "TRUSTED_PROXIES" (join "," $values.controlPlane.trustedProxies)
  "DATABASE_POOL" (toString $values.database.pool)
  "MAIL_FROM" $values.mail.from
  "LOG_LEVEL" $values.controlPlane.logLevel
  "OPERATOR_ORG" $values.auth.operatorOrg
  "GOOGLE_CLIENT_ID" $values.signIn.google.clientId
  "OIDC_ISSUER" $values.signIn.oidc.issuer
  "OIDC_CLIENT_ID" $values.signIn.oidc.clientId
  "MANAGED_DAEMON_STORE" (ternary "kubernetes" "none" $values.operator.enabled)
  "NODE_OPTIONS" (join " " $values.controlPlane.nodeOptions)
-}}
{{- if or $values.trial.postgres.enabled $values.trial.valkey.enabled -}}
{{- /* They start with the release. Below what the startup probe grants. */ -}}
{{- $_ := set $plain "STORE_WAIT_SECONDS" "90" -}}
{{- end -}}
{{- if $values.controlPlane.auditRetentionDays -}}
{{- $_ := set $plain "AUDIT_RETENTION_DAYS" (toString $values.controlPlane.auditRetentionDays) -}}
{{- end -}}
{{- if $values.controlPlane.caConfigMap -}}
{{- $_ := set $plain "NODE_EXTRA_CA_CERTS" "/var/run/svc/ca/ca.crt" -}}
{{- end -}}
{{- if $values.auth.systemAdminsNeedTwoFactor -}}
{{- $_ := set $plain "SYSTEM_ADMINS_NEED_TWO_FACTOR" "1" -}}
{{- end -}}
{{- if $values.agents.enabled -}}
{{- $_ := set $plain "MCP_ENABLED" "1" -}}
{{- $_ := set $plain "MCP_REGISTRATION" $values.agents.registration -}}
{{- end -}}
{{- if $values.signIn.oidc.issuer -}}
{{- $_ := set $plain "OIDC_NAME" $values.signIn.oidc.name -}}
{{- $_ := set $plain "OIDC_EMAIL_DOMAINS" (join "," $values.signIn.oidc.emailDomains) -}}
{{- end -}}
{{- if $values.operator.enabled -}}
{{- $repository := include "svc.daemonRepository" .root -}}
{{- $plain = merge $plain (dict
  "MANAGED_DAEMON_NAMESPACE" $values.daemons.namespace
  "DAEMON_IMAGE_REPOSITORY" $repository
  "DEFAULT_DAEMON_IMAGE" (printf "%s@%s" $repository $values.daemons.image.digest)
  "IMAGE_DIGESTS" "required"
  "IMAGE_REGISTRY_URL" $values.daemons.registry.url
  "DAEMON_STORAGE_SIZE" $values.daemons.storage.size
  "DAEMON_STORAGE_MAX_SIZE" $values.daemons.storage.maxSize
  "DAEMON_STORAGE_GROW_ABOVE" ($values.daemons.storage.growAbovePercent | int | toString)
  "DAEMON_STORAGE_CLASS" $values.daemons.storage.className
  "DAEMON_IDLE_SECONDS" ($values.daemons.idleSeconds | int | toString)
  "DAEMON_CPU" $values.daemons.cpu
  "DAEMON_MEMORY" $values.daemons.memory
  "RELAY_INTERNAL_URL" (include "svc.dialInUrl" .root)
) -}}
{{- if $values.backups.bucket -}}
{{- $plain = merge $plain (dict
  "BACKUP_BUCKET" $values.backups.bucket
  "BACKUP_ENDPOINT" $values.backups.endpoint
  "BACKUP_REGION" $values.backups.region
  "BACKUP_ACCESS_KEY_ID" $values.backups.accessKeyId
  "BACKUP_EVERY_SECONDS" ($values.backups.everySeconds | int | toString)
  "BACKUP_KEEP" ($values.backups.keep | int | toString)
  "BACKUP_KEEP_DELETED_DAYS" ($values.backups.keepDeletedDays | int | toString)
  "BACKUP_DRILL_SECONDS" ($values.backups.drillSeconds | int | toString)
) -}}
{{- end -}}
{{- if $values.daemons.registry.existingSecret -}}
{{- $_ := set $plain "IMAGE_REGISTRY_AUTH_FILE" "/var/run/svc/registry/.dockerconfigjson" -}}
{{- end -}}
{{- if $values.daemons.registry.caConfigMap -}}
{{- $_ := set $plain "IMAGE_REGISTRY_CA_FILE" "/var/run/svc/registry-ca/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- toYaml $plain -}}
{{- end -}}

{{- /* Variables that come from Secrets, as a map of name to Secret and key. */ -}}
{{- define "svc.controlPlaneSecrets" -}}
{{- $values := .Values -}}
{{- $refs := dict
  "DATABASE_URL" (include "svc.databaseSecret" . | fromYaml)
  "AUTH_SECRET" (include "svc.authSecret" . | fromYaml)
-}}
{{- if $values.auth.previousSecretKey -}}
{{- $_ := set $refs "AUTH_SECRET_PREVIOUS" (dict "name" $values.auth.existingSecret "key" $values.auth.previousSecretKey) -}}
{{- end -}}
{{- if include "svc.hasRedis" . -}}
{{- $_ := set $refs "REDIS_URL" (include "svc.redisSecret" . | fromYaml) -}}
{{- end -}}
{{- if not $values.auth.operatorOrg -}}
{{- $_ := set $refs "OPERATOR_ORG" (dict "name" (include "svc.ownSecret" .) "key" "operator-org") -}}
{{- end -}}
{{- range $name, $from := dict
  "SMTP_URL" $values.mail
  "GOOGLE_CLIENT_SECRET" $values.signIn.google
  "OIDC_CLIENT_SECRET" $values.signIn.oidc
  "MANAGED_DAEMON_ADMIN_TOKEN" $values.imageToken
  "PROVISIONING_CODE" $values.provisioning
-}}
{{- if $from.existingSecret -}}
{{- $_ := set $refs $name (dict "name" $from.existingSecret "key" $from.existingSecretKey) -}}
{{- end -}}
{{- end -}}
{{- with $values.backups -}}
{{- if and .bucket .existingSecret $values.operator.enabled -}}
{{- $_ := set $refs "BACKUP_KEY" (dict "name" .existingSecret "key" .existingSecretKey) -}}
{{- if .accessKeyId -}}
{{- $_ := set $refs "BACKUP_SECRET_ACCESS_KEY" (dict "name" .existingSecret "key" .secretAccessKeyKey) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $refs -}}
{{- end -}}

{{- /* The environment of a control-plane process. Takes root and role. */ -}}
{{- define "svc.controlPlaneEnv" -}}
{{- /* First: the address of the pod is named by another variable. */ -}}
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
{{- range $name, $value := merge (include "svc.controlPlaneVariables" . | fromYaml) .root.Values.controlPlane.extraEnv }}
{{- if ne $value "" }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $name, $ref := include "svc.controlPlaneSecrets" .root | fromYaml }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $ref.name }}
      key: {{ $ref.key }}
{{- end }}
{{- end -}}

{{- /* The pod of a serving or working control plane. Takes root, component, role and the component's values. */ -}}
{{- define "svc.controlPlanePod" -}}
{{- $root := .root -}}
{{- $serves := ne .role "worker" -}}
metadata:
  labels:
    {{- include "svc.labels" . | nindent 4 }}
  annotations:
    # New addresses or keys in the chart's own Secrets start new pods; those of existing Secrets are the owner's.
    svcd.dev/addresses: {{ include (print $root.Template.BasePath "/secret-addresses.yaml") $root | sha256sum | trunc 16 }}
    {{- with .values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "svc.controlPlaneAccount" $root }}
  automountServiceAccountToken: {{ $root.Values.operator.enabled }}
  # Longer than the drain of tunnels and of connections, one after the other.
  terminationGracePeriodSeconds: 75
  {{- include "svc.podSecurity" (dict "user" 10001) | nindent 2 }}
  {{- include "svc.pullSecrets" $root | nindent 2 }}
  {{- include "svc.scheduling" . | nindent 2 }}
  containers:
    - name: control-plane
      image: {{ include "svc.image" (dict "root" $root "image" $root.Values.controlPlane.image) }}
      imagePullPolicy: {{ $root.Values.controlPlane.image.pullPolicy }}
      {{- include "svc.containerSecurity" . | nindent 6 }}
      env:
        {{- include "svc.controlPlaneEnv" . | nindent 8 }}
      ports:
        {{- if $serves }}
        - { name: api, containerPort: 7380 }
        {{- if ne .role "mcp" }}
        - { name: gateway, containerPort: 7390 }
        - { name: dial-in, containerPort: 7391 }
        {{- end }}
        {{- end }}
        - { name: internal, containerPort: 7392 }
      {{- if $serves }}
      lifecycle:
        preStop:
          # Until the pod has left every load balancer; new requests would else meet a closed port.
          sleep:
            seconds: 5
      {{- end }}
      startupProbe:
        httpGet: { path: /health, port: internal }
        periodSeconds: 1
        failureThreshold: 120
      # Not ready on an older schema: a rolling upgrade waits for the migration.
      readinessProbe:
        httpGet: { path: /ready, port: internal }
        periodSeconds: 2
        timeoutSeconds: 5
      livenessProbe:
        httpGet: { path: /health, port: internal }
        periodSeconds: 20
        timeoutSeconds: 10
        failureThreshold: 6
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- with include "svc.authoritiesMount" $root }}{{ . | nindent 8 }}{{ end }}
        {{- if $root.Values.operator.enabled }}
        {{- if $root.Values.daemons.registry.existingSecret }}
        - { name: registry, mountPath: /var/run/svc/registry, readOnly: true }
        {{- end }}
        {{- if $root.Values.daemons.registry.caConfigMap }}
        - { name: registry-ca, mountPath: /var/run/svc/registry-ca, readOnly: true }
        {{- end }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 128Mi }
    {{- with include "svc.authoritiesVolume" $root }}{{ . | nindent 4 }}{{ end }}
    {{- if $root.Values.operator.enabled }}
    {{- with $root.Values.daemons.registry.existingSecret }}
    - name: registry
      secret: { secretName: {{ . }} }
    {{- end }}
    {{- with $root.Values.daemons.registry.caConfigMap }}
    - name: registry-ca
      configMap: { name: {{ . }} }
    {{- end }}
    {{- end }}
{{- end -}}
