#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A trial says what enforcement would repair: which fields, how often.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json );
use ORS::JSON qw( json_encode );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Util qw( slurp wait_for );

my $good = response('completed', model => 'm');
my $less = response('completed', model => 'other');

my $bare = response('completed', model => 'm');

delete $less->{usage}{total_tokens};
delete $bare->{top_p};

sub script ($document) {
    return [ [ header => 'Content-Type', 'application/json' ],
             [ raw => json_encode($document) ] ];
}


my $model = ORS::Model->new(scripts => { good => script($good),
                                         less => script($less),
                                         bare => script($bare) });

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;
        open_responses_unknown_fields strip;
        open_responses_strict off;

        location = /good/v1/responses {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/script/good;
        }

        location = /less/v1/responses {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/script/less;
        }

        location = /trial/v1/responses {
            open_responses_validate on report;
            error_log %%TESTDIR%%/logs/trial.log warn;
            proxy_pass http://%%MODEL%%/script/bare;
        }

        location = /enforced/v1/responses {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/script/less;
        }

        location = /v1/responses {
            open_responses on;
            open_responses_target default /to/model;
        }

        location = /to/model {
            internal;
            proxy_pass http://%%MODEL%%/script/less;
        }

        location = /status { open_responses_status json; }
    }
CONF

$t->start;


sub ask ($at, %o) {
    return post_json($t->port, "/$at/v1/responses",
                     { model => 'm', input => 'hi', %o });
}


sub counts () {
    my $json = get($t->port, '/status')->{json};

    return join(' ', map { "$_=$json->{$_}" }
                     qw( requests_unrepaired answers_unrepaired ))
           . " repaired=$json->{requests}{repaired},$json->{answers}{repaired}"
           . " reported=$json->{requests}{reported},$json->{answers}{reported}";
}


sub counted ($expected, $name) {
    wait_for(sub { counts() eq $expected });
    is(counts(), $expected, $name);
}


is(ask('good')->{status}, 200, 'a good one');
counted('requests_unrepaired=0 answers_unrepaired=0 repaired=0,0 reported=0,0',
        '... is no repair');
unlike($t->error_log, qr/would be/, '... and not in the log');

{
    my $r = ask('less', mark => 1, other => 2);

    is($r->{json}{model}, 'other', 'the answer passes as it is');
    is($model->last_request->{json}{mark}, 1, '... and so does the request');
}

counted('requests_unrepaired=1 answers_unrepaired=1 repaired=0,0 reported=0,0',
        'what would be repaired is counted');

$t->wait_log(qr/upstream answer would be repaired/);
like($t->error_log, qr/\[warn\].*\ request\ would\ be\ repaired\ in\ 2\ places:
                       \ mark,\ other,\ client/x,
     'the log names the fields of the request');
like($t->error_log, qr/\[warn\].*\ upstream\ answer\ would\ be\ repaired\ in
                       \ 2\ places:\ total_tokens,\ model\b/x,
     '... and those of the answer');

{
    my $r = ask('enforced', mark => 1);

    is($r->{json}{model}, 'm', 'enforced: the answer is repaired');
    ok(!exists($model->last_request->{json}{mark}), '... and the request');
}

counted('requests_unrepaired=1 answers_unrepaired=1 repaired=1,1 reported=0,0',
        '... which is counted as a repair');

is(ask('less', temperature => 'x', mark => 1)->{status}, 200,
   'a request that would be refused');
counted('requests_unrepaired=1 answers_unrepaired=2 repaired=1,1 reported=1,0',
        '... is not one that would be repaired');

ask('trial', mark => 1);
ok(wait_for(sub {
    slurp($t->dir . '/logs/trial.log') =~ /\A.*\ request\ would.*\n
                                           .*\ answer\ would.*\n\z/x
}), 'a log of the location at level "warn" has both, and nothing else');


# each field has a counter, and a line of the log in a minute

is(ask('.')->{json}{model}, 'm', 'a gateway repairs an answer');

sub repairs () { return get($t->port, '/status')->{json}{repairs} }

sub pair { return { repaired => $_[0], reported => $_[1] } }

my $expected = { total_tokens => pair(2, 2), model => pair(2, 1),
                 top_p => pair(0, 1) };

wait_for(sub { (repairs()->{model}{repaired} // 0) == 2 });
is_deeply(repairs(), $expected, 'answers are counted by the field');

sub lines ($word) {
    return scalar(() = $t->error_log
                       =~ /upstream answer $word repaired in .*total_tokens/g);
}

my $minute = int(time / 60);
my @before = map { lines($_) } 'is', 'would be';

ask('enforced') for 1 .. 4;
ask('less') for 1 .. 4;

wait_for(sub { repairs()->{model}{reported} == 5 });
is_deeply(repairs()->{model}, pair(6, 5), 'more of them are counted');

# two, if the next minute has begun

my $more = int(time / 60) - $minute;

for my $word ('is', 'would be') {
    my $n = lines($word) - shift @before;

    ok($n >= 0 && $n <= $more, "\"$word repaired\": not a line for each")
        or diag($t->error_log);
}

is(lines('is') > 0, 1, 'a repair is in the log');

$t->finish;
done_testing();
