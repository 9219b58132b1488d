package ORS::MCP;

# Copyright (C) Open Responses contributors
#
# MCP servers for tests, as scripts of ORS::Model: of the legacy era, with
# sessions, and of the modern one, without.
#
#     use ORS::MCP qw( legacy modern tool said );
#
#     my $server = ORS::Model->new(scripts => {
#         old => legacy(tools => [ tool('echo') ],
#                       call => sub ($name, $arguments) { 'text' }),
#         new => modern(pages => [ [ tool('a') ], [ tool('b') ] ],
#                       stream => 1, ttl => 60000, scope => 'public'),
#     });
#
#     proxy_pass http://%%MCP%%/script/old;
#
#     said($server)       # methods of all requests: 'tools/call echo', ...
#
# call     gives the text of a result, or the result, or steps of ORS::Model
# list     instead of tools: gives the result of tools/list
# stream   answers are event streams
# session  the id of the session, or code that gives the one that there is now
# lost     the status for requests of another session, 400
# steps    instead of call: gives steps of ORS::Model for the message
# answered steps for what the gateway answers to requests of the server
# over     gives steps for a request that is cancelled and a session that ends
# resume   gives steps of ORS::Model for a GET, which is 405 without it
# scope, ttl   "cacheScope" and "ttlMs" of lists

use v5.36;
use Exporter qw( import );
use ORS::JSON qw( json_decode json_encode );

our @EXPORT_OK = qw( legacy modern tool said );

my $META = 'io.modelcontextprotocol/protocolVersion';


sub tool ($name, %more) {
    return { name => $name, description => "Does $name",
             inputSchema => { type => 'object' }, %more };
}


sub legacy (%o) {
    return sub ($conn, $r) {
        my $session = $o{session} // 'session-1';

        $session = $session->($conn) if ref $session;

        return $conn->_play($o{resume} ? $o{resume}->($r)
                                       : [ [ status => 405 ], [ 'head' ] ], 0)
            if $r->{method} eq 'GET';

        my $m = $r->{method} eq 'DELETE' ? {} : json_decode($r->{body});
        my $method = $m->{method} // '';

        return $conn->_play($o{over}->($r), 0)
            if $o{over} && ($r->{method} eq 'DELETE'
                            || $method eq 'notifications/cancelled');

        return $conn->_play([ [ status => 204 ], [ 'head' ] ], 0)
            if $r->{method} eq 'DELETE';

        if ($method eq 'initialize') {
            my $result = { protocolVersion => '2025-11-25',
                           capabilities => { tools => {} },
                           serverInfo => { name => 'mock', version => 1 } };

            return _answer($conn, { %o, head => [ 'Mcp-Session-Id',
                                                  $session ] },
                           $m, $result);
        }

        my $came = $r->{headers}{'mcp-session-id'} // '';

        return _error($conn, $o{lost} // 400, $m, -32000,
                      'Server not initialized')
            if $came ne $session;

        return $conn->_play($o{answered}, 0) if $method eq '' && $o{answered};

        return $conn->_play([ [ status => 202 ], [ framing => 'length' ],
                              [ 'head' ] ], 0)
            if !defined $m->{id} || $method eq '';

        return _method($conn, \%o, $m);
    };
}


sub modern (%o) {
    return sub ($conn, $r) {
        my $m = json_decode($r->{body});

        return _error($conn, 400, $m, -32602, '_meta is needed')
            unless ($m->{params}{_meta}{$META} // '') eq '2026-07-28'
                   && $r->{headers}{'mcp-method'} eq $m->{method};

        return _method($conn, { %o, modern => 1 }, $m);
    };
}


sub _method ($conn, $o, $m) {
    my $params = $m->{params} // {};

    return _list($conn, $o, $m, $params) if $m->{method} eq 'tools/list';

    return _error($conn, 200, $m, -32601, 'no such method')
        if $m->{method} ne 'tools/call';

    my $result = $o->{steps}
        ? $o->{steps}->($m)
        : $o->{call}->($params->{name}, $params->{arguments});

    return $conn->_play($result, 0) if ref $result eq 'ARRAY';

    $result = { content => [ { type => 'text', text => $result } ] }
        unless ref $result;

    _answer($conn, $o, $m, $result);
}


sub _list ($conn, $o, $m, $params) {
    my $n = $params->{cursor} // 0;
    my $pages = $o->{pages} // [ $o->{tools} ];
    my $result = $o->{list} ? $o->{list}->($params)
        : { tools => $pages->[$n],
            $n < $#$pages ? (nextCursor => '' . ($n + 1)) : (),
            $o->{ttl} ? (ttlMs => $o->{ttl}) : (),
            $o->{scope} ? (cacheScope => $o->{scope}) : () };

    return $conn->_play($result, 0) if ref $result eq 'ARRAY';

    _answer($conn, $o, $m, $result);
}


sub _answer ($conn, $o, $m, $result) {
    my @head = $o->{head} ? [ header => @{ $o->{head} } ] : ();
    my $answer = { jsonrpc => '2.0', id => $m->{id}, result => $result };

    $result->{resultType} = 'complete' if $o->{modern};

    return $conn->_play([ @head, [ json => $answer ] ], 0) unless $o->{stream};

    $conn->_play([ @head, [ header => 'Content-Type', 'text/event-stream' ],
                   @{ $o->{first} // [] }, [ sse => $answer ] ], 0);
}


sub _error ($conn, $status, $m, $code, $message) {
    $conn->_play([ [ status => $status ],
                   [ json => { jsonrpc => '2.0', id => $m->{id},
                               error => { code => $code,
                                          message => $message } } ] ], 0);
}


sub said ($server) {
    return map {
        my $m = $_->{json};
        my $name = $m->{params}{name} // $_->{headers}{'last-event-id'};

        ($m->{method} // ($_->{method} eq 'POST' ? 'answer' : $_->{method}))
            . (defined $name ? " $name" : '');
    } $server->requests;
}

1;
